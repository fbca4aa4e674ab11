import Foundation
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
        try writePipe(pipes[0], try VirtualReaderTests.publishedReport())
        _ = try client.line()
        try writePipe(pipes[1], try VirtualReaderTests.swipeSound(";4266841088889999=080910110000046?"))
        #expect(try client.line().contains(#""event":"swipe""#))
        // What is there for certain, so that a scan that finds nothing cannot pass.
        #expect(try daemon.memoryContains(daemon.socket))
        #expect(try daemon.leftAfterASecond(of: Self.secrets) == [])
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
        try writePipe(pipe, try VirtualReaderTests.publishedReport())
        var isHeld = false
        for _ in 0..<100 where !isHeld { isHeld = try daemon.memoryContains(Self.secrets[0]) }
        #expect(isHeld, "not kept, so that this could not fail")
        #expect(try observer.line().contains(#""reason":"claimant_gone""#))
        #expect(try daemon.leftAfterASecond(of: Self.secrets) == [])
    }

    /// The kernel writes no core file of the daemon, although the limit allows one. The same signal at another program
    /// shows that it would.
    @Test func thereIsNoCoreFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "core-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = """
            import os, resource, signal, subprocess, sys, time
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            # A test's children have inherited what its threads block.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.chdir(sys.argv[1])
            def dumped(words, is_up):
                child = os.fork()
                if child == 0:
                    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
                    os.execv(words[0], words)
                while not is_up(child): time.sleep(0.01)
                os.kill(child, signal.SIGABRT)
                return os.WCOREDUMP(os.waitpid(child, 0)[1])
            is_sleep = lambda child: open(f"/proc/{child}/comm").read() == "sleep\\n"
            print(dumped(["/bin/sleep", "60"], is_sleep),
                  dumped([sys.argv[2], "--socket", "s", "--foreground"], lambda child: os.path.exists("s")))
            """
        let ended = try FinishedProgram([
            "python3", "-c", script, folder.path, BuiltProgram.path("swiped").path,
        ])
        #expect(["True False\n", "False False\n"].contains(ended.output), "\(ended.output)\(ended.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.contains("swiped") } == [])
    }
}

extension DaemonUnderTest {
    /// Which of the texts are in memory a second from now, or sooner where none is.
    ///
    /// A second is what forgetting may take; the loop only spares a quick machine the wait.
    func leftAfterASecond(of texts: [String]) throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(1)
        var left = texts
        while !left.isEmpty, .now < deadline { left = try left.filter { try memoryContains($0) } }
        return try texts.filter { try memoryContains($0) }
    }

    /// Whether the text is anywhere in the readable memory of the daemon, or of another process.
    func memoryContains(_ text: String, of other: Int32? = nil) throws -> Bool {
        let id = other ?? process.processIdentifier
        let needle = Data(text.utf8)
        let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(id)/mem"))
        let maps = try String(contentsOfFile: "/proc/\(id)/maps", encoding: .utf8)
        for line in maps.split(separator: "\n")
        where !line.hasSuffix("[vvar]") && !line.hasSuffix("[vsyscall]") {
            let words = line.split(separator: " ", maxSplits: 2)
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
            try memory.seek(toOffset: ends[0])
            guard let bytes = try? memory.read(upToCount: Int(ends[1] - ends[0])) else { continue }
            if bytes.range(of: needle) != nil { return true }
        }
        return false
    }
}
