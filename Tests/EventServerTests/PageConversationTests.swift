import Glibc
import SwipeProtocol
import Testing

@testable import EventServer

/// The conversation at the beginning of docs/protocol.md, held with a server: what the page shows is what is said.
@Suite(.timeLimit(.minutes(5))) struct PageConversationTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    static func page() throws -> String {
        let file = try #require(fopen("\(root)/docs/protocol.md", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    /// What differs from one machine and moment to the next is left out.
    private static func steady(_ line: some StringProtocol) -> String {
        String(line).replacing(/"uid":[0-9]+/, with: "\"uid\":U").replacing(
            /"connection":[0-9]+/, with: "\"connection\":C"
        ).replacing(/"time":"[^"]*"/, with: "\"time\":T").replacing(/"mono_ns":[0-9]+/, with: "\"mono_ns\":N")
    }

    @Test func theConversationIsWhatTheServerSays() async throws {
        let lines = try Self.page().matches(of: /(?m)^(<-|->) (\{.*\})$/)
        #expect(lines.count >= 6)
        let reader = ReaderInfo(
            id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", serial: "B05A9C4", bus: .usb,
            encryption: .encrypted, state: .ready)
        try await withServer(
            instance: "5f0c2d0a91b7e344", daemon: "swiped 0.1.0", roles: [.status, .masked]
        ) { server, path in
            for _ in 0..<41 { server.publish(Publication(reader: reader, .connect(reader))) }
            // The connection is made when all of that is published.
            let client = try TestClient(path: path)
            for line in lines {
                if line.1 == "->" {
                    client.send(line.2 + "\n")
                    continue
                }
                if line.2.hasPrefix("{\"event\":\"ready\"") {
                    server.publish(Publication(reader: reader, .ready(expiresAt: nil)))
                }
                let said = try await client.line()
                #expect(said.map { Self.steady($0) } == Self.steady(line.2))
            }
        }
    }

    @Test func theTimeToRetainIsAsOnThePage() throws {
        let page = try Self.page()
        #expect(
            page.contains(
                "may `retain` within \(ServerLimits().retain / .seconds(1)) s".replacing(".0", with: "")))
    }
}
