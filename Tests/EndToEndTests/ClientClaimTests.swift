import Foundation
import SwipeClient
import Testing

/// The Swift client's claims on a running daemon: every way to lose the reader, and the one to get it back.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ClientClaimTests {
    private static let reader = "virtual-till"

    /// A daemon with a reader that is plugged in, and the pipe that is its cable.
    private func start() throws -> (daemon: DaemonUnderTest, observer: LineClient, pipe: String) {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        let pipe = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        return (daemon, observer, pipe)
    }

    private func skip(to kind: EventKind, _ events: inout EventStream.AsyncIterator) async throws {
        while let event = try await events.next(), event.body.kind != kind {}
    }

    @Test func aReaderThatIsPluggedInAgainIsClaimedAgain() async throws {
        let (daemon, observer, pipe) = try start()
        let client = SwipeClient(path: daemon.socket)
        let ours = try await client.connect().you.connection
        try await client.withClaim(Self.reader) { claimed async throws in
            var events = claimed.events().makeAsyncIterator()
            try await skip(to: .connect, &events)
            try FileManager.default.removeItem(atPath: pipe)
            try await skip(to: .disconnect, &events)
            _ = daemon.makePipe("reports")
            try await skip(to: .ready, &events)
            while try await client.readers().first?.claimedBy?.connection != ours {
                try Task.checkCancellation()
            }
            observer.send(#"{"id":2,"method":"claim","params":{"reader":"virtual-till","mode":"try"}}"#)
            #expect(try observer.lines(through: #""id":2"#).last?.contains("claim.held") == true)
            try writePipe(pipe, try VirtualSwipes.publishedReport())
            try await skip(to: .swipe, &events)
        }
    }

    @Test func aReaderThatIsTakenIsSaidToBe() async throws {
        let (daemon, observer, _) = try start()
        try await SwipeClient(path: daemon.socket).withClaim(Self.reader) { claimed async throws in
            let swiping = Task { try await claimed.nextSwipe() }
            observer.send(#"{"id":2,"method":"claim","params":{"reader":"virtual-till"}}"#)
            await #expect {
                try await swiping.value
            } throws: {
                ($0 as? SwipeClientError)?.code == .claimLost
            }
            #expect(try observer.lines(through: #""id":2"#).last?.contains(#""token""#) == true)
        }
    }
}
