package import Foundation

/// The programs of this package, as the build left them beside the tests.
package enum Programs {
    package static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    package static func path(_ name: String) -> URL {
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let beside = folder.appending(path: name)
        return FileManager.default.isExecutableFile(atPath: beside.path)
            ? beside : folder.deletingLastPathComponent().appending(path: name)
    }

    package static func start(_ name: String, _ arguments: [String], log: String) throws -> Process {
        try start(at: path(name).path, arguments, log: log)
    }

    package static func start(at program: String, _ arguments: [String], log: String) throws -> Process {
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(filePath: log)) }
        let handle = try FileHandle(forWritingTo: URL(filePath: log))
        try handle.seekToEnd()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // A child inherits the signals that a test's thread blocks.
        process.arguments = ["--default-signal=TERM", program] + arguments
        process.standardError = handle
        process.standardOutput = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Runs one to its end: its status and what it said.
    package static func run(_ name: String, _ arguments: [String]) throws -> (status: Int32, said: String) {
        try run(at: path(name).path, arguments)
    }

    package static func run(at program: String, _ arguments: [String]) throws -> (status: Int32, said: String)
    {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, said)
    }
}
