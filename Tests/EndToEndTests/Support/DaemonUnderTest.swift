import Foundation
import Synchronization

/// A swiped of one's own: the built program, in a folder of its own, run as a user runs it.
final class DaemonUnderTest {
    let folder: URL
    let process = Process()
    private let log: URL
    private let output: URL
    var socket: String { folder.appending(path: "s").path }

    /// Starts the daemon and returns when it listens.
    ///
    /// - Parameters:
    ///   - configuration: what swiped.conf says; `{}` stands for the folder.
    ///   - files: what stands beside it in the folder.
    ///   - wrapper: a command that runs the daemon, as its last arguments.
    init(
        _ configuration: String, files: [String: String] = [:], arguments: [String] = [],
        environment: [String: String] = [:], input: Pipe? = nil, inside wrapper: [String] = []
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "swiped-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        log = folder.appending(path: "log")
        output = folder.appending(path: "output")
        try configure(configuration)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        for file in [log, output] { try Data().write(to: file) }
        let command =
            wrapper + [
                BuiltProgram.path("swiped").path, "--config", folder.appending(path: "swiped.conf").path,
            ]
            + ["--socket", socket, "--foreground"] + arguments
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        if let input { process.standardInput = input }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardError = try FileHandle(forWritingTo: log)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes the configuration file.
    func configure(_ text: String) throws {
        try text.replacing("{}", with: folder.path)
            .write(to: folder.appending(path: "swiped.conf"), atomically: true, encoding: .utf8)
    }

    /// Everything that the daemon has logged.
    var logged: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// What it, or the wrapper, has written to standard output.
    var said: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// A client of the daemon, its greeting read.
    func connect() throws -> LineClient {
        try LineClient(path: socket, deadline: .now + .seconds(60))
    }

    /// Tells it to end, and gives its exit status and how long it took.
    func terminate() -> (status: Int32, took: Duration) {
        let start = ContinuousClock.now
        process.terminate()
        process.waitUntilExit()
        return (process.terminationStatus, ContinuousClock.now - start)
    }

    /// Makes a named pipe: the source of a virtual reader, which plugs it in.
    func makePipe(_ name: String) -> String {
        let path = folder.appending(path: name).path
        mkfifo(path, 0o600)
        return path
    }
}

/// Writes to a named pipe as a virtual reader's source is written to. A daemon that has ended meanwhile is an error.
func writePipe(_ path: String, _ bytes: some Sequence<UInt8>) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.writeOrThrow(Data(bytes))
    try handle.close()
}

extension FileHandle {
    /// Writes to what another program reads. Where that has ended it is an error: the signal that comes with it would end all tests, without
    /// a word.
    func writeOrThrow(_ data: Data) throws {
        var before = sigset_t()
        var broken = sigset_t()
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, &before)
        defer {
            var atOnce = timespec()
            sigtimedwait(&broken, nil, &atOnce)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        try write(contentsOf: data)
    }
}
