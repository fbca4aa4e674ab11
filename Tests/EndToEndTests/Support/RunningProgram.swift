import Foundation

/// A program that runs beside the test, from the project's root; its standard output can be read by lines.
final class RunningProgram {
    private let process = Process()
    private let output = Pipe()

    /// - Parameter input: what it reads from; nothing where there is none.
    init(_ words: [String], environment: [String: String] = [:], input: Pipe? = nil) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        // A child inherits the signals that a test's thread blocks, SIGTERM among them; this unblocks it.
        process.arguments = ["--default-signal=TERM"] + words
        process.currentDirectoryURL = BuiltProgram.root
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = input ?? FileHandle.nullDevice as Any
        try process.run()
    }

    deinit { stop() }

    /// Whether it prints something, or ends, within a time.
    func hasOutput(withinSeconds seconds: Int) -> Bool {
        var descriptor = pollfd(
            fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, Int32(seconds * 1000)) > 0 && descriptor.revents & Int16(POLLIN) != 0
    }

    /// The next line that it prints; shorter where it ends before.
    func firstLine() -> String {
        var bytes = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1),
            byte != Data([UInt8(ascii: "\n")]),
            !byte.isEmpty
        {
            bytes += byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for its end; its exit status.
    func status() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// As by Ctrl-C.
    func interrupt() { process.interrupt() }

    func stop() {
        if process.isRunning { process.terminate() }
    }
}
