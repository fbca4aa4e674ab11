import Foundation
import ServiceSupport
import Testing

@testable import SwipedMQTT

/// The drop-in that leaves the unit the way to the broker alone.
@Suite struct AddressDropInTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("2001:db8::7", "2001:db8::7"), ("fe80::1%eth0", "fe80::1"),
        ("localhost", "localhost"),
    ])
    func anAddressIsItself(host: String, address: String) throws {
        let dropIn = try AddressDropIn(of: host, resolvers: "/etc/resolv.conf")
        #expect(dropIn.text.hasSuffix("[Service]\nIPAddressDeny=any\nIPAddressAllow=\(address)\n"))
    }

    /// A name has to be looked up at each connection: by those whom resolv.conf names.
    @Test func aNameNeedsItsResolvers() throws {
        let file = "/tmp/resolv-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "# x\nnameserver 192.0.2.53\noptions edns0\nnameserver fe80::53%eth0\nnameserver x\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        // Names that every machine knows without asking anybody.
        var dropIn = try AddressDropIn(of: "localhost", resolvers: file)
        #expect(dropIn.resolvers.isEmpty)
        dropIn = try AddressDropIn(of: "LOCALHOST", resolvers: file)
        #expect(dropIn.addresses.contains("127.0.0.1"))
        #expect(dropIn.resolvers == ["192.0.2.53", "fe80::53"])
        #expect(dropIn.text.contains("IPAddressAllow=127.0.0.1\n"))
        #expect(dropIn.text.hasSuffix("IPAddressAllow=192.0.2.53\nIPAddressAllow=fe80::53\n"))
    }

    @Test func aNameThatIsNoneIsSaid() {
        #expect(throws: StartFault.self) { try AddressDropIn(of: "nobody.invalid") }
    }
}
