import EventServer
import Glibc
import SwipeClient
import Testing

/// The tutorial's last step, compiled and run as it stands there (Till.swift).
@Suite(.timeLimit(.minutes(5))) struct TutorialTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen("\(Self.root)/\(path)", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test func theCompiledTillIsTheTutorials() throws {
        let copy = try text("Tests/SwipeClientTests/Till.swift")
        #expect(copy == (try text("Sources/SwipeClient/SwipeClient.docc/Resources/till-5.swift")))
        #expect(copy.hasPrefix("import SwipeClient\n"))
    }

    @Test func theTillShowsASwipe() async throws {
        let reader = ReaderInfo(id: "magtek-1", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)
        let card = CardInfo(kind: .payment, pan: PANInfo(masked: "411111******1111", length: 16))
        try await withServer { server, path in
            server.publish(Publication(reader: reader, .connect(reader)))
            let (lines, shown) = AsyncStream<String>.makeStream()
            let client = SwipeClient(path: path)
            let till = Till(client: client, reader: "magtek-1") { shown.yield($0) }
            let running = Task { try await till.run() }
            // It listens when it shows something.
            let announcing = Task {
                while !Task.isCancelled {
                    server.publish(Publication(reader: reader, .ready(expiresAt: nil)))
                    try await client.ping()
                }
            }
            var next = lines.makeAsyncIterator()
            #expect(await next.next() == "please swipe")
            announcing.cancel()
            for tracks in [[TrackInfo(track: 2, status: .ok)], []] {
                server.publish(
                    Publication(
                        reader: reader, .swipe(SwipeData(card: tracks.isEmpty ? nil : card, tracks: tracks))))
            }
            var line = await next.next()
            while line == "please swipe" { line = await next.next() }
            #expect(line == "411111******1111")
            #expect(await next.next() == "please swipe again")
            client.close()
            try await running.value
        }
    }

    @Test func theTillSaysThatItLostTheReader() async throws {
        let reader = ReaderInfo(id: "magtek-1", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)
        var limits = ServerLimits()
        limits.retain = .milliseconds(1)
        try await withServer(limits: limits) { server, path in
            server.publish(Publication(reader: reader, .connect(reader)))
            let (lines, shown) = AsyncStream<String>.makeStream()
            let till = Till(client: SwipeClient(path: path), reader: "magtek-1") { shown.yield($0) }
            let running = Task { try await till.run() }
            let rival = SwipeClient(path: path)
            while try await rival.readers().first?.claimedBy == nil { try Task.checkCancellation() }
            try await rival.withClaim("magtek-1") { _ async throws in try await running.value }
            #expect(await lines.first { _ in true } == "another program has the reader")
        }
    }
}
