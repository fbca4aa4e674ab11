import EventServer
import SwipeProtocol
import Testing

/// What a client's roles refuse is refused before anything else is looked at, for every method alike; then that there is
/// no such reader, then that somebody else holds it or nobody does.
@Suite(.timeLimit(.minutes(5))) struct PrecedenceTests {
    private static let roles: [Set<Role>] = [
        [.status], [.masked], [.full], [.status, .masked], [.admin], [.status, .admin], [.full, .admin],
    ]
    private static let there = "magtek-B05A9C4"

    /// Parameters that are right, for that reader.
    private static func parameters(of method: Method, _ reader: String) -> String {
        let more: String? =
            switch method {
            case .subscribe, .unsubscribe, .readers, .schema, .barrier, .ping, .reload: nil
            case .narrow: #""role":"admin""#
            case .logLevel: #""level":"info""#
            case .setAudioReader: #""reader":"\#(reader)","type":"unimag""#
            case .answerPrompt: #""reader":"\#(reader)","prompt":"1","answer":"ok""#
            case .propertyGet: #""reader":"\#(reader)","name":"n""#
            case .propertySet: #""reader":"\#(reader)","name":"n","value":1"#
            case .set: #""reader":"\#(reader)","volume_to_max":true"#
            case .simulate: #""reader":"\#(reader)","action":"connect""#
            case .get, .levels, .claim, .release, .retain, .stats, .activate, .deactivate, .cancelActivation,
                .requestSwipe,
                .cancelSwipe, .testCommunication, .autodetect:
                #""reader":"\#(reader)""#
            }
        return "{\(more ?? "")}"
    }

    private static func isOfAReader(_ method: Method) -> Bool {
        parameters(of: method, "x").contains("reader") && method != .simulate
    }

    /// What the page says, without the code that is tested.
    private static func refusal(_ method: Method, _ roles: Set<Role>, isThere: Bool) -> String? {
        let isMoreThanStatus = roles != [.status]
        switch method.need {
        case .nothing: break
        case .moreThanStatus, .claimOrAdmin: if !isMoreThanStatus { return "access.denied" }
        case .admin: if !roles.contains(.admin) { return "access.denied" }
        }
        if isOfAReader(method), !isThere { return "reader.unknown" }
        if method == .release || method == .retain { return "claim.not_held" }
        if method.need == .claimOrAdmin, !roles.contains(.admin) { return "claim.required" }
        return nil
    }

    @Test(arguments: Method.allCases, roles) func rolesComeFirst(
        _ method: Method, _ roles: Set<Role>
    ) async throws {
        try await withServer(roles: roles) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let client = try TestClient(path: path)
            _ = try await client.message()
            for (reader, isThere) in [("nope", false), (Self.there, true)] {
                let reply = try await client.request(method.rawValue, Self.parameters(of: method, reader))
                #expect(reply.at("error", "code")?.string == Self.refusal(method, roles, isThere: isThere))
            }
        }
    }
}
