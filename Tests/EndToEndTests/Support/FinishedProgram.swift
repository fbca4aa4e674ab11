import Foundation

/// A program that was run to its end: what it printed and how it ended.
struct FinishedProgram {
    let status: Int32
    let output: String
    let errors: String

    /// A program that hangs is ended after this many seconds, by coreutils' timeout, with status 124.
    private static let limit = 30

    init(_ words: [String], environment: [String: String] = [:], limit: Int = FinishedProgram.limit) throws {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        // A child inherits the signals that a test's thread blocks, and would not hear timeout's SIGTERM either.
        process.arguments = ["--default-signal=TERM", "timeout", "\(limit)"] + words
        process.currentDirectoryURL = BuiltProgram.root
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Far less than a pipe holds comes on standard error: reading one after the other cannot block.
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }
}
