import CheckoutTesting
import Foundation
import Testing

/// After a card was refused the till waits for another one, and has forgotten the first: its memory is read as root reads
/// it. Nor is there a core file with cards in it.
@Suite(.serialized, .enabled(if: getuid() == 0, "reading another process's memory needs root"))
struct MemoryTests {
    /// A second is what forgetting takes; a busy machine may need more.
    private static let patience = Duration.seconds(20)

    /// Declined, expired. An American Express number has 15 digits: Swift keeps texts of up to 15 bytes without a heap block
    /// of their own.
    @Test(arguments: [("4012888888881881", "4012 8888 8888 1881"), ("371449635398431", "3714 496353 98431")])
    func nothingOfATypedCardIsLeft(number: String, grouped: String) async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(address, ["Unmistakable", "4.40", "--no-reader"])
            try await till.wait(for: "Number")
            let process = ProcessMemory(try await till.process())
            let unused = try Self.codes(number).first { try !process.contains(Self.bounded($0)) }
            let code = try #require(unused)
            try await till.typeCard(number, "1230", code)
            try await till.wait(for: number == "4012888888881881" ? "•••" : "••••")
            // What is there for certain, so that a search that finds nothing cannot pass.
            #expect(try process.contains(Array("Unmistakable".utf8)))
            #expect(try process.contains(Array(number.utf8)), "it is in the form")
            try await till.press("Enter")
            try await till.wait(for: number == "4012888888881881" ? "was declined" : "has expired")
            let secrets = [number, grouped, "\"cvv\":\"\(code)\""].map { Array($0.utf8) }
            #expect(try await Self.left(of: secrets + [Self.bounded(code)], in: process) == [])
        }
    }

    @Test(.enabled(if: Programs.daemon != nil, ScreenTests.needsDaemon)) func nothingOfASwipedCardIsLeft()
        async throws
    {
        let reader = try ReaderUnderTest()
        try await withSandbox { _, address in
            let till = try await TillTerminal(address, ["Unmistakable", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4012888888881881")
            try await till.wait(for: "The card was declined.")
            let process = ProcessMemory(try await till.process())
            #expect(try process.contains(Array("Unmistakable".utf8)))
            let secrets = ["4012888888881881", "4012 8888 8888 1881", "=30121010000000000"]
            #expect(try await Self.left(of: secrets.map { Array($0.utf8) }, in: process) == [])
        }
    }

    /// Core files are allowed, and the till dies of what makes one: there is none.
    @Test func thereIsNoCore() async throws {
        let service = try LocalListener()
        let folder = try Folder()
        let script = """
            cd "$1"; ulimit -c unlimited; till=$2; shift 2
            SWIFT_BACKTRACE=enable=no "$till" "$@" < /dev/null > /dev/null & process=$!
            # It handles SIGTERM: it is at work.
            until grep -q 'SigCgt:.*[4-7c-f]...$' /proc/$process/status; do sleep 0.01; done
            kill -ABRT $process; wait $process; ls -A
            """
        let words = [
            "-c", script, "bash", folder.url.path, Programs.path("till"), "Shoes", "4.40", "--no-reader",
        ]
        let run = try await FinishedProcess.run(
            "bash", words, environment: TillRun.environment(service.url, try Folder()))
        #expect(run.output == "" && run.errors.contains("Aborted"))
        #expect(!run.errors.contains("core dumped"))
    }

    /// Codes of the length that the card has.
    private static func codes(_ number: String) -> [String] {
        let first = number.count == 15 ? 4_011 : 401
        return (0..<200).map { String(first + 3 * $0) }
    }

    /// A code as a text or an array of bytes of its own: three digits alone are in many numbers.
    private static func bounded(_ code: String) -> [UInt8] { [0] + Array(code.utf8) + [0] }

    /// What is in memory still when the time to forget is over.
    private static func left(of secrets: [[UInt8]], in process: ProcessMemory) async throws -> [String] {
        let deadline = ContinuousClock.now + patience
        var left = secrets
        while !left.isEmpty, .now < deadline {
            left = try left.filter { try process.contains($0) }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try secrets.filter { try process.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The memory of a process that it can write to.
private struct ProcessMemory {
    private let identifier: Int32

    init(_ identifier: Int32) { self.identifier = identifier }

    func contains(_ needle: [UInt8]) throws -> Bool {
        let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(identifier)/mem"))
        let maps = try String(contentsOfFile: "/proc/\(identifier)/maps", encoding: .utf8)
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
            try memory.seek(toOffset: ends[0])
            guard let bytes = try? memory.read(upToCount: Int(ends[1] - ends[0])) else { continue }
            if bytes.range(of: Data(needle)) != nil { return true }
        }
        return false
    }
}
