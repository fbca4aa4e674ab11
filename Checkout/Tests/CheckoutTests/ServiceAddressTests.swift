import Checkout
import CheckoutTesting
import Testing

/// One service has one name, however its address is written.
@Suite struct ServiceAddressTests {
    @Test(arguments: [
        ("HTTPS://Pay.Example.COM", "https://pay.example.com"),
        ("https://pay.example.com:443/", "https://pay.example.com"),
        ("https://pay.example.com.", "https://pay.example.com"),
        ("https://pay.example.com:", "https://pay.example.com"),
        ("https://pay.example.com:0443//", "https://pay.example.com"),
        ("https://pay.example.com:444", "https://pay.example.com:444"),
        ("https://pay.example.com/shop/", "https://pay.example.com/shop"),
        ("https://pay.example.com/./a/../sh%6fp%2f", "https://pay.example.com/shop%2F"),
        ("https://pay.example.com/%2E/a/%2e%2E/", "https://pay.example.com"),
        ("https://pay.example.com/.%2e", "https://pay.example.com"),
        ("https://pay.example.com//shop//a", "https://pay.example.com/shop/a"),
        ("http://127.0.0.1:8080/", "http://localhost:8080"),
        ("http://LOCALHOST:8080", "http://localhost:8080"),
        ("http://[::1]:8080", "http://localhost:8080"),
        ("http://[0:0:0:0:0:0:0:1]:8080/", "http://localhost:8080"),
        ("http://[::ffff:127.0.0.1]:8080", "http://localhost:8080"),
        ("http://127.1:8080", "http://localhost:8080"),
        ("http://0x7f.0.0.1:8080", "http://localhost:8080"), ("http://2130706433", "http://localhost"),
        ("http://127.0.0.1:80", "http://localhost"), ("http://127.0.0.2", "http://localhost"),
        ("http://[::ffff:127.1.2.3]:8080", "http://localhost:8080"), ("http://128.0.0.1", "http://128.0.0.1"),
        ("https://[2001:DB8::0:1]", "https://[2001:db8::1]"),
        ("https://[2001:db8:0:0:1:0:0:1]", "https://[2001:db8::1:0:0:1]"),
    ])
    func oneName(written: String, name: String) throws {
        let address = try #require(ServiceAddress(written))
        #expect(address.name == name)
        #expect(ServiceAddress(address.name)?.name == name && ServiceAddress(address.url)?.name == name)
    }

    @Test(arguments: [
        "", "pay", "://a", "https://", "https:///a", "https://user@pay.example.com",
        "https://pay.example.com?a",
        "https://pay.example.com/#a", "https://pay.example.com:65536", "https://pay.example.com:0",
        "https://a:b",
        "https://pay example.com", "https://päy.example.com", "https://a..b", "https://[::1",
        "https://[1::2::3]",
        "https://[::1]x", "https://1.2.3.4.5", "https://256.1.1.1", "https://a%2eb", "https://a\\b",
        "h1ttps://a",
        "https://[1:2:3:4:5:6:7]", "https://[1:2:3:4:5:6:7:8:9]", "https://[12345::]", "https://[:1]",
        "https://[1:]",
    ])
    func whatIsNoAddress(text: String) {
        #expect(ServiceAddress(text) == nil)
    }

    /// Any spelling of any address: the same name; and different addresses keep theirs.
    @Test func spellingsDoNotMatter() throws {
        var random = SeededGenerator(state: 20_261_122)
        var names: Set<String> = []
        let hosts = ["pay.example.com", "localhost", "127.0.0.1", "[::1]", "10.0.0.7", "[2001:db8::7]"]
        for number in 0..<2_000 {
            let (scheme, host) = (
                ["http", "https"].randomElement(using: &random) ?? "", hosts[number % hosts.count]
            )
            let usual = scheme == "http" ? 80 : 443
            let port = Bool.random(using: &random) ? usual : Int.random(in: 1...65_535, using: &random)
            let path = ["", "/a", "/a/b-c", "/~x"].randomElement(using: &random) ?? ""
            let plain = "\(scheme)://\(host):\(port)\(path)"
            let name = try #require(ServiceAddress(plain)).name
            names.insert(
                "\(host.hasPrefix("[::1") || host.hasPrefix("127") ? "localhost" : host) \(scheme) \(port) \(path) \(name)"
            )
            for _ in 0..<4 {
                let other = Self.spelling(scheme, host, port, usual, path, &random)
                #expect(ServiceAddress(other)?.name == name, "\(other)")
            }
        }
        // As many names as addresses.
        #expect(Set(names.map { $0.split(separator: " ").last }).count == names.count)
    }

    private static func spelling(
        _ scheme: String, _ host: String, _ port: Int, _ usual: Int, _ path: String,
        _ random: inout SeededGenerator
    ) -> String {
        let cased = { (text: String, random: inout SeededGenerator) in
            String(text.map { Bool.random(using: &random) ? Character($0.uppercased()) : $0 })
        }
        var host = host
        if ["localhost", "127.0.0.1", "[::1]"].contains(host) {
            host = ["localhost", "127.0.0.1", "[::1]", "127.1"].randomElement(using: &random) ?? host
        }
        if host == "[2001:db8::7]", Bool.random(using: &random) { host = "[2001:0db8:0:0:0:0:0:7]" }
        let shownPort = port == usual && Bool.random(using: &random) ? "" : ":\(port)"
        let slashes = ["", "/", "//"].randomElement(using: &random) ?? ""
        let shownPath = Bool.random(using: &random) ? path.replacing("~", with: "%7e") : path
        return cased(scheme, &random) + "://" + cased(host, &random) + shownPort + shownPath + slashes
    }
}
