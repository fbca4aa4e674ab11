import Foundation
import Testing

/// A standard output that another program has made non-blocking, as event loops do with what they share.
@Suite(.timeLimit(.minutes(5))) struct FullPipeTests {
    /// `F_SETPIPE_SZ` of the kernel.
    private static let setPipeSize: Int32 = 1031

    @Test func itGetsAll() throws {
        let words = [BuiltProgram.path("swipectl").path, "generate", "readers"]
        let whole = try FinishedProgram(words)
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting.fileDescriptor
        let capacity = fcntl(writer, Self.setPipeSize, 4_096)
        try #require(capacity > 0 && whole.output.utf8.count > capacity)
        try #require(fcntl(writer, F_SETFL, O_WRONLY | O_NONBLOCK) == 0)
        let process = Process()
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardOutput = pipe.fileHandleForWriting
        process.standardInput = FileHandle.nullDevice
        try process.run()
        try pipe.fileHandleForWriting.close()
        var unread: Int32 = 0
        let deadline = ContinuousClock.now + .seconds(60)
        while process.isRunning, unread < capacity, .now < deadline {
            sched_yield()
            _ = ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &unread)
        }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(output == whole.output)
        #expect(process.terminationStatus == 0)
    }
}
