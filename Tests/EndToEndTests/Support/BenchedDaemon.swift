import Foundation

/// The USB hub of software that the daemon is run in.
enum HIDBenchProgram {
    static let wrapper = "/usr/bin/umockdev-wrapper"

    static var obstacle: String? {
        guard FileManager.default.isExecutableFile(atPath: wrapper) else {
            return "umockdev is not installed"
        }
        let bench = Process()
        bench.executableURL = BuiltProgram.path("hid-bench")
        bench.standardError = FileHandle.nullDevice
        guard (try? bench.run()) != nil else { return "hid-bench is not built" }
        bench.waitUntilExit()
        return bench.terminationStatus == 77 ? "hid-bench was built without libumockdev-dev" : nil
    }
}

/// The built daemon inside the hub, and a client that has subscribed to everything.
final class BenchedDaemon {
    let daemon: DaemonUnderTest
    let client: LineClient
    private let hub = Pipe()

    init(_ configuration: String, answer: String = "stall", asNobody: Bool = false) throws {
        let options = (asNobody ? ["--as-nobody"] : []) + ["--answer", answer]
        daemon = try DaemonUnderTest(
            configuration, input: hub,
            inside: [HIDBenchProgram.wrapper, BuiltProgram.path("hid-bench").path] + options)
        client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
    }

    deinit { try? hub.fileHandleForWriting.close() }

    /// Has the hub do something: see `hid-bench`.
    func hub(_ line: String) { try? hub.fileHandleForWriting.writeOrThrow(Data((line + "\n").utf8)) }

    /// The daemon, which the hub runs as its child.
    func processID() throws -> Int32? {
        let hub = daemon.process.processIdentifier
        let children = try String(contentsOfFile: "/proc/\(hub)/task/\(hub)/children", encoding: .utf8)
        return children.split(separator: " ").first.flatMap { Int32($0) }
    }

    /// The answer to a request; events that come before it stay to be read.
    func ask(_ method: String, _ parameters: String = "{}") throws -> String {
        client.send(#"{"id":"q","method":"\#(method)","params":\#(parameters)}"#)
        return try client.answer(#"{"id":"q""#)
    }

    /// Pulls the plug of everything, and waits for the daemon's end.
    func end() throws -> Int32 {
        try hub.fileHandleForWriting.close()
        daemon.process.waitUntilExit()
        return daemon.process.terminationStatus
    }
}
