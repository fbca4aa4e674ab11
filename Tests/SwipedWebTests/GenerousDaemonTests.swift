import Foundation
import TestSupport
import Testing

/// A daemon that leaves a connection more than it was asked for, by a fault or because it is none: no page sees what it shows.
@Suite struct GenerousDaemonTests {
    private static let masked = #"["status","masked"]"#
    private static let full = #"["status","masked","full"]"#
    private static let admin = #"["status","masked","full","admin"]"#

    /// - Parameter roles: what is left in answer to the role of the origin's pages.
    @Test(arguments: [
        (GatewayUnderTest.open, full, false), (GatewayUnderTest.open, #"["status","admin"]"#, false),
        (GatewayUnderTest.full, admin, false),
        // Before it has answered, nothing of a swipe's can be for a page.
        (GatewayUnderTest.open, masked, true),
    ])
    func noPageSeesMoreThanItMay(origin: String, roles: String, early: Bool) throws {
        let gateway = try GatewayUnderTest()
        gateway.stopDaemon()
        let daemon = try GenerousDaemon(at: gateway.socket, leaving: roles, early: early)
        let page = try WebSocketClient(gateway, origin: origin)
        try page.send(#"{"id":1,"method":"subscribe","params":{"events":["swipe"]}}"#)
        let frame = try page.next()
        #expect(frame.closeCode == 1013, "\(frame.text)")
        let stream = try RawSocket(port: gateway.port)
        try stream.send(
            "GET /v1/events HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\nOrigin: \(origin)\r\n"
                + "Connection: close\r\n\r\n")
        // It ends by itself, with nothing in it.
        let said = try stream.rest()
        #expect(!said.contains("event:") && !said.contains(GenerousDaemon.number))
        try gateway.awaitLog("event=web.daemon_failed")
        #expect(gateway.logged.contains(early ? "does not greet" : "as well"))
        withExtendedLifetime(daemon) {}
    }

    /// The control of the test above: with no more left than asked, a page is let in and gets what the daemon shows.
    @Test(arguments: [
        (GatewayUnderTest.open, masked), (GatewayUnderTest.full, full), (GatewayUnderTest.full, masked),
    ])
    func whatWasAskedIsUsed(origin: String, roles: String) throws {
        let gateway = try GatewayUnderTest()
        gateway.stopDaemon()
        let daemon = try GenerousDaemon(at: gateway.socket, leaving: roles)
        let page = try WebSocketClient(gateway, origin: origin)
        #expect(try page.line().contains(#""roles":\#(roles)"#))
        try page.send(#"{"id":1,"method":"subscribe","params":{"events":["swipe"]}}"#)
        #expect(try page.line().contains(GenerousDaemon.number))
        withExtendedLifetime(daemon) {}
    }
}
