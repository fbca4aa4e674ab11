internal import Glibc
internal import ServiceSupport

/// A drop-in for the unit that leaves it the way to the broker alone (systemd.resource-control(5), IPAddressAllow=). systemd reads the unit
/// before this program reads its configuration: so it is written down once, by who installs it.
struct AddressDropIn {
    var host: String
    /// The broker's, as text; of a name all that it has now.
    var addresses: [String]
    /// Whom to ask for the name; none where the host is an address.
    var resolvers: [String]

    var text: String {
        let why =
            resolvers.isEmpty
            ? ""
            : "# The broker's addresses at this time, and those that answer for its name: make it anew when they change.\n"
        return "# By 'swiped-mqtt --print-drop-in', for host = \(host).\n\(why)[Service]\nIPAddressDeny=any\n"
            + (addresses + resolvers).map { "IPAddressAllow=\($0)\n" }.joined()
    }

    /// What the system says of a host now.
    init(of host: String, resolvers file: String = "/etc/resolv.conf") throws(StartFault) {
        self.host = host
        addresses = []
        resolvers = []
        guard host != "localhost" else {
            addresses = ["localhost"]
            return
        }
        // systemd knows no zones: the address holds on every link.
        let zoneless = String(host.prefix { $0 != "%" })
        let isAddress = Self.isAddress(zoneless)
        addresses = try isAddress ? [zoneless] : Self.addresses(of: host)
        if !isAddress { resolvers = Self.servers(file) }
    }

    private static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return [AF_INET, AF_INET6].contains { inet_pton($0, text, &address) == 1 }
    }

    /// As resolv.conf(5) names them.
    private static func servers(_ file: String) -> [String] {
        let bytes = FileContent.read(file, maximumBytes: maximumBytes) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, words[0] == "nameserver" else { return nil }
            let address = String(words[1].prefix { $0 != "%" })
            return isAddress(address) ? address : nil
        }
    }

    private static let maximumBytes = 64 * 1_024
    /// Longer than any address with its zone, as text (NI_MAXHOST).
    private static let maximumText = 1_025

    private static func addresses(of host: String) throws(StartFault) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            throw StartFault(words: "host: \(host): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        var found: [String] = []
        var next = list
        while let info = next?.pointee {
            next = info.ai_next
            var text = [CChar](repeating: 0, count: maximumText)
            guard
                getnameinfo(
                    info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let address = String(
                decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let zoneless = String(address.prefix { $0 != "%" })
            if !found.contains(zoneless) { found.append(zoneless) }
        }
        return found
    }
}
