package import Foundation
import Synchronization

/// Programs that tests run.
package enum Programs {
    /// A program of this package, as the build left it beside the tests.
    package static func path(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
    }

    /// The folder with README.md.
    package static let package = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// The daemon of the package above; nil where it is not built.
    package static let daemon = ofPackageAbove("swiped")
    /// What operators drive the daemon with; nil where it is not built.
    package static let control = ofPackageAbove("swipectl")

    private static func ofPackageAbove(_ name: String) -> String? {
        let path = package.appending(path: "../.build/debug").appending(path: name).standardized.path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
}

/// Starts programs that end with the tests, also where those are killed: the kernel ends them with the thread that
/// started them (prctl(2), PR_SET_PDEATHSIG), so one thread that stays starts all.
private final class Starter: Sendable {
    static let shared = Starter()

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let hasJob = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                hasJob.wait()
                jobs.withLock { $0.removeFirst() }()
            }
        }
    }

    func start(_ body: @escaping @Sendable () throws -> Void) throws {
        let end = End()
        let isDone = DispatchSemaphore(value: 0)
        jobs.withLock {
            $0.append {
                end.result.withLock { $0 = Result { try body() } }
                isDone.signal()
            }
        }
        hasJob.signal()
        isDone.wait()
        try end.result.withLock { $0 }?.get()
    }

    private final class End: Sendable {
        let result = Mutex<Result<Void, any Error>?>(nil)
    }
}

/// A program that runs until it is let go, and then is killed.
package final class RunningProcess: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let folder: Folder
    private let input: FileHandle
    private let silence = Pipe()

    /// - Parameter input: what it reads, at once and to its end; nil for nothing and no end.
    package init(
        _ program: String, _ arguments: [String], input: String? = "", environment: [String: String] = [:]
    ) throws {
        folder = try Folder()
        try Data((input ?? "").utf8).write(to: folder.url.appending(path: "input"))
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = ["--pdeathsig", "KILL", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        self.input = try FileHandle(forReadingFrom: folder.url.appending(path: "input"))
        process.standardInput = input == nil ? silence.fileHandleForReading : self.input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try Starter.shared.start { [self] in try process.run() }
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        // Foundation keeps a Process that was run, and with it what it was given: two descriptors a till, for thousands of tills.
        try? input.close()
        try? output.fileHandleForReading.close()
    }

    package var isRunning: Bool { process.isRunning }

    /// Ends it as nobody can prepare for, and waits until it is gone.
    package func killAtOnce() async throws {
        kill(process.processIdentifier, SIGKILL)
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
    }

    package var identifier: Int32 { process.processIdentifier }

    /// Makes it stand still, and returns when every thread of it does, or when it has ended: a signal is on its way for a while.
    package func stop() async throws {
        kill(identifier, SIGSTOP)
        while process.isRunning, !hasStopped { try await Task.sleep(for: .milliseconds(1)) }
    }

    package func goOn() { kill(identifier, SIGCONT) }

    /// Whether its parent would be told by now that it stands still (waitid(2)).
    private var hasStopped: Bool {
        var change = siginfo_t()
        return waitid(P_PID, id_t(identifier), &change, WSTOPPED | WNOHANG | WNOWAIT) == 0
            && change.si_signo == SIGCHLD
    }

    /// The first line of its output; nil when it ended without one.
    package func firstLine() -> String? {
        let data = output.fileHandleForReading.availableData
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}

/// A program that was run to its end.
package struct FinishedProcess: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String

    /// Runs it on a thread of its own: the threads that tests share must not wait.
    package static func run(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> FinishedProcess {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try FinishedProcess(program, arguments, input: input, environment: environment)
                    })
            }
        }
    }

    /// Runs it; one that hangs is ended after a minute, by coreutils' timeout, with status 124.
    package init(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws {
        // Files, not pipes: a server that a program starts keeps its pipes open, and their readers waiting.
        let folder = try Folder()
        for name in ["input", "output", "errors"] {
            try Data((name == "input" ? input : "").utf8).write(to: folder.url.appending(path: name))
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["timeout", "60", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let files = try (
            FileHandle(forReadingFrom: folder.url.appending(path: "input")),
            FileHandle(forWritingTo: folder.url.appending(path: "output")),
            FileHandle(forWritingTo: folder.url.appending(path: "errors"))
        )
        (process.standardInput, process.standardOutput, process.standardError) = files
        // Foundation keeps a Process that was run, and with it these.
        defer { for file in [files.0, files.1, files.2] { try? file.close() } }
        try process.run()
        process.waitUntilExit()
        output = try String(contentsOf: folder.url.appending(path: "output"), encoding: .utf8)
        errors = try String(contentsOf: folder.url.appending(path: "errors"), encoding: .utf8)
        status = process.terminationStatus
    }
}

/// A folder that is gone with the test.
package final class Folder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "checkout-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> String { url.appending(path: name).path }
}
