import CardData
import EventServer
import SwipeProtocol
import Testing

/// A connection may ask for less than the daemon gives it, and never for more.
@Suite(.timeLimit(.minutes(5))) struct NarrowTests {
    private static func swipe() -> Publication {
        Publication(reader: .sample(), kind: .swipe) { view in
            .swipe(
                SwipeData(
                    card: view == .status ? nil : CardInfo(kind: .other),
                    tracks: [
                        TrackInfo(
                            track: 2, status: .ok, masked: view == .status ? nil : ";****?",
                            text: view == .full ? SensitiveText(";1234?") : nil)
                    ]))
        }
    }

    /// What is kept of what a connection has, for each role that it asks for.
    @Test(
        arguments: [
            ([.status], .full, [.status]), ([.masked], .full, [.status, .masked]),
            ([.admin], .masked, [.status]),
            ([.full], .masked, [.status, .masked]), ([.full, .admin], .full, [.status, .masked, .full]),
            ([.status, .masked, .full], .status, [.status]), ([.full, .admin], .admin, [.full, .admin]),
        ] as [(Set<Role>, Role, Set<Role>)])
    func keepsNoMoreThanTheRoleAllows(_ roles: Set<Role>, _ role: Role, _ kept: Set<Role>) {
        #expect(roles.narrowed(to: role) == kept)
        #expect(View(roles: kept).rawValue <= View(roles: roles).rawValue)
    }

    @Test func narrowsWhatTheConnectionGetsAndMay() async throws {
        try await withServer(roles: [.full, .admin]) { server, path in
            let (narrow, wide) = (try TestClient(path: path), try TestClient(path: path))
            for client in [narrow, wide] { _ = try await client.message() }
            let you = try await narrow.request("narrow", #"{"role":"masked"}"#)["result"]?.object
            #expect(you?["roles"] == ["status", "masked"])
            // Once given up it stays given up.
            let again = try await narrow.request("narrow", #"{"role":"full"}"#)["result"]?.object
            #expect(again?["roles"] == ["status", "masked"])
            let reload = try await narrow.request("reload")
            #expect(reload.at("error", "code") == "access.denied")
            for client in [narrow, wide] {
                _ = try await client.request("subscribe", #"{"events":["swipe"]}"#)
            }
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            server.publish(Self.swipe())
            let (masked, full) = (try await narrow.message(), try await wide.message())
            func track(_ event: JSONObject) -> JSONObject? {
                event.at("data", "tracks")?.array?.first?.object
            }
            #expect(track(masked)?["masked"] == ";****?" && track(masked)?["text"] == nil)
            #expect(track(full)?["text"] == ";1234?")
        }
    }

    @Test func anUnknownRoleIsRefused() async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            let answer = try await client.request("narrow", #"{"role":"everything"}"#)
            #expect(answer.at("error", "code") == "params.invalid")
        }
    }
}
