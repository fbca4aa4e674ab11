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
        // A second is what forgetting may take; the loop only spares a quick machine the wait.
        let deadline = ContinuousClock.now + .seconds(1)
        var left = Self.secrets
        while !left.isEmpty, .now < deadline { left = try left.filter { try daemon.memoryContains($0) } }
        left = try Self.secrets.filter { try daemon.memoryContains($0) }
        #expect(left == [])
        #expect(daemon.terminate().status == 0)
    }
}

extension DaemonUnderTest {
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
