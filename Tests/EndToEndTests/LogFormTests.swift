import Foundation
import Testing

/// The lines of the log where no journal takes entries: what people search, and what systemd takes apart.
@Suite struct LogFormTests {
    /// Everything that a daemon writes to standard error from its start to its end.
    private func log(_ options: [String], environment: [String: String]) throws -> [Substring] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = folder.appending(path: "swiped.conf")
        try "[access]\nmasked = *\n".write(to: configuration, atomically: true, encoding: .utf8)
        let (process, errors) = (Process(), Pipe())
        let socket = folder.appending(path: "s").path
        process.executableURL = BuiltProgram.path("swiped")
        process.arguments = ["--config", configuration.path, "--socket", socket] + options
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardError = errors
        try process.run()
        _ = try LineClient(path: socket, deadline: .now + .seconds(60))
        process.terminate()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n")
    }

    @Test func inATerminalALineBeginsWithTimeAndLevel() throws {
        let lines = try log(["--foreground"], environment: [:])
        let form =
            /[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} (?:info|notice|warning|error) [^=]+ event=[a-z]+\.[a-z_]+(?: .*)?/
        for line in lines { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
        #expect(lines.contains { $0.contains(" info ") && $0.contains(" event=daemon.start ") })
    }

    /// sd-daemon(3): systemd takes the number off and keeps it as the entry's priority.
    @Test(
        .enabled(
            if: !FileManager.default.fileExists(atPath: "/run/systemd/journal/socket"),
            "the journal takes the entries here"))
    func underSystemdALineBeginsWithItsPriority() throws {
        let lines = try log([], environment: ["JOURNAL_STREAM": "1:1"])
        let form = /<[3-6]>[^=]+ event=[a-z]+\.[a-z_]+(?: .*)?/
        for line in lines { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
        #expect(lines.contains { $0.hasPrefix("<6>") && $0.contains(" event=daemon.start ") })
    }
}
