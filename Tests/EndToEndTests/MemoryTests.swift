import Foundation
import ReaderTesting
import TestSupport
import Testing

/// After a swipe the daemon forgets the card: its memory is read as root reads it.
@Suite(.serialized, .enabled(if: getuid() == 0, "reading another process's memory needs root"))
struct MemoryTests {
    private static let secrets = [
        "5452300551227189", "4266841088889999", "080432100000007250", "080910110000046",
    ]

    @Test(arguments: ["masked", "full"])
    func nothingOfACardIsLeft(for view: String) throws {
        let daemon = try DaemonUnderTest(
            "[access]\n\(view) = *\n[virtual-hid till]\nsource = {}/reports\n[virtual-audio door]\nsource = {}/sound\n"
        )
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe","params":{"events":["ready","swipe"]}}"#)
        _ = try client.line()
        let pipes = ["reports", "sound"].map { daemon.makePipe($0) }
        _ = try (client.line(), client.line())
        try writePipe(pipes[0], try VirtualSwipes.publishedReport())
        _ = try client.line()
        try writePipe(pipes[1], try VirtualSwipes.swipeSound(";4266841088889999=080910110000046?"))
        #expect(try client.line().contains(#""event":"swipe""#))
        // What is there for certain, so that a scan that finds nothing cannot pass.
        #expect(try daemon.memoryContains(daemon.socket))
        #expect(try daemon.left(of: Self.secrets) == [])
        #expect(daemon.terminate().status == 0)
    }

    /// The same of readers on a line, whose bytes are gathered until a swipe is whole, and of encoders in both ways of reading.
    @Test func nothingOfACardOnALineIsLeft() throws {
        let text = ";4266841088889999=080910110000046?"
        let card = try EncodedCard([nil, text, nil])
        func encoder(_ read: UInt8) -> [UInt8] {
            var encoder = EncoderSimulator()
            _ = encoder.receive([0x1B, read])
            return encoder.swipe(card.stripes)
        }
        let lines: [(name: String, settings: String, bytes: [UInt8])] =
            LineReader.Kind.allCases.map { kind in
                (
                    "\(kind)", "type = \(kind.rawValue)",
                    LineReader(kind).bytes(of: .tracks([nil, .text(text)]))
                )
            } + [
                ("raw", "type = msr-line", encoder(0x6D)),
                ("iso", "type = msr-line\nreading = iso", encoder(0x72)),
            ]
        let sections = lines.map { "[virtual-serial \($0.name)]\nsource = {}/\($0.name)\n\($0.settings)\n" }
        let daemon = try DaemonUnderTest("[access]\nfull = *\n" + sections.joined())
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe","params":{"events":["ready","swipe"]}}"#)
        _ = try client.line()
        for line in lines {
            let pipe = daemon.makePipe(line.name)
            _ = try client.line()
            try writePipe(pipe, line.bytes)
            #expect(try client.line().contains(text), "\(line.name)")
        }
        #expect(try daemon.left(of: ["4266841088889999", "080910110000046"]) == [])
        #expect(daemon.terminate().status == 0)
    }

    /// A swipe that is kept for a claimant is there as long as it is kept, and then nowhere.
    @Test func aHeldSwipeIsWipedWhenItsTimeIsOver() throws {
        let daemon = try DaemonUnderTest(
            "[server]\nswipe_hold = 2\n[access]\nfull = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe","params":{"events":["ready","swipe_untaken"]}}"#)
        _ = try observer.line()
        let pipe = daemon.makePipe("reports")
        _ = try observer.line()
        do {
            let holder = try daemon.connect()
            holder.send(#"{"id":1,"method":"claim","params":{"reader":"virtual-till"}}"#)
            #expect(try holder.line().contains(#""token""#))
        }
        var asked = 2
        repeat {
            observer.send(#"{"id":\#(asked),"method":"readers"}"#)
            asked += 1
        } while try !observer.line().contains(#""connection":0"#)
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        var isHeld = false
        for _ in 0..<100 where !isHeld { isHeld = try daemon.memoryContains(Self.secrets[0]) }
        #expect(isHeld, "not kept, so that this could not fail")
        #expect(try observer.line().contains(#""reason":"claimant_gone""#))
        #expect(try daemon.left(of: Self.secrets) == [])
    }

    /// Where the kernel does not lock the memory for cards, everybody who looks is told: log, `stats`, `swipectl status`.
    @Test func memoryThatCannotBeLockedIsReported() throws {
        // Root may lock what it likes, unless it has given that up.
        let unlocked = [
            "/usr/bin/setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-all", "prlimit", "--memlock=0:0",
        ]
        for (wrapper, isLocked) in [([], true), (unlocked, false)] {
            let daemon = try DaemonUnderTest("[access]\nmasked = *\n", inside: wrapper)
            let client = try daemon.connect()
            client.send(#"{"id":1,"method":"stats"}"#)
            #expect(try client.line().contains(#""memory_locked":\#(isLocked)"#))
            let status = try FinishedProgram(
                [BuiltProgram.path("swipectl").path, "status", "--socket", daemon.socket])
            #expect(
                status.output.contains(isLocked ? /memory for cards +locked/ : /memory for cards +NOT LOCKED/)
            )
            #expect(daemon.terminate().status == 0)
            let warnings = daemon.logged.matches(of: /event=daemon\.memory_not_locked/).count
            #expect(warnings == (isLocked ? 0 : 1))
            #expect(isLocked || daemon.logged.contains("LimitMEMLOCK="))
        }
    }
}

extension DaemonUnderTest {
    /// Which of the texts are still in memory when the daemon has had time to forget them: one second, in which its threads
    /// did not wait for a processor.
    ///
    /// What is measured: the time from here, where the swipe's line was read, to the beginning of the last look that found
    /// something, less what the kernel says the daemon's threads have waited for a processor meanwhile. Where it says
    /// nothing, only that they are forgotten is seen, in a time that other tests cannot make too short.
    func left(of texts: [String]) throws -> [String] {
        let (start, waited) = (ContinuousClock.now, waitsForProcessor())
        let deadline = start + .seconds(20)
        var left = texts
        while !left.isEmpty, .now < deadline {
            let began = ContinuousClock.now - start
            let late = waitsForProcessor().map { now in
                // A thread that has ended meanwhile waits for nothing any more; a new one has waited since it began.
                began - now.reduce(.zero) { $0 + $1.value - (waited?[$1.key] ?? .zero) }
            }
            left = try left.filter { try memoryContains($0) }
            if !left.isEmpty, let late { #expect(late <= .seconds(1), "still there then") }
        }
        return try texts.filter { try memoryContains($0) }
    }

    /// How long each thread has waited for a processor since it began: the second number of its `schedstat`. Nil where the
    /// kernel does not tell.
    private func waitsForProcessor() -> [String: Duration]? {
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        var waits: [String: Duration] = [:]
        for thread in threads {
            let numbers = try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)
            guard let wait = Int64(numbers?.split(separator: " ").dropFirst().first ?? "") else { continue }
            waits[thread] = .nanoseconds(wait)
        }
        return waits.isEmpty ? nil : waits
    }

    /// Whether the text is anywhere in the readable memory of the daemon, or of another process.
    func memoryContains(_ text: String, of other: Int32? = nil) throws -> Bool {
        try ProcessMemory.contains(text, of: other ?? process.processIdentifier)
    }
}
