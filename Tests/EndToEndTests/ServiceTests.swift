import Foundation
import Testing
import UnixIO

/// The daemon as a service: signals, statuses, systemd's protocols.
@Suite(.serialized) struct ServiceTests {
    @Test func endsOnTermWithinASecondAndSaysBye() throws {
        let daemon = try DaemonUnderTest("")
        let client = try daemon.connect()
        let end = daemon.terminate()
        #expect(end.status == 0)
        // A second is the promise, and scripts/measure measures it; this only tells an end from a hang.
        #expect(end.took < .seconds(20))
        #expect(try client.line().contains(#""event":"bye""#))
        #expect(client.hasEnded())
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    /// Signals that wait when the program begins, as those do that come within its first moments.
    @Test(arguments: [("SIGTERM", "ended"), ("SIGINT", "ended"), ("SIGHUP", "configuration reloaded")])
    func hearsWhatCameBefore(_ name: String, _ said: String) throws {
        let waiting = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.\(name)])
            os.kill(os.getpid(), signal.\(name))
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let daemon = try DaemonUnderTest("", inside: ["/usr/bin/python3", "-c", waiting])
        if name == "SIGHUP" {
            _ = try daemon.connect()
            while daemon.process.isRunning, !daemon.logged.contains(said) { usleep(1000) }
            daemon.process.terminate()
        }
        daemon.process.waitUntilExit()
        #expect(daemon.process.terminationReason == .exit && daemon.process.terminationStatus == 0)
        #expect(daemon.logged.contains(said))
    }

    @Test(
        arguments: [
            (["--version"], 0), (["--help"], 0), (["--no-such-option"], 2),
            (["--config", "/nonexistent/swiped.conf"], 78),
            (["--check-config", "--config", BuiltProgram.root.appending(path: "LICENSE").path], 78),
            (["--check-config", "--config", "/nonexistent/swiped.conf"], 78), (["--strict"], 2),
        ] as [([String], Int32)])
    func exitStatus(of arguments: [String], is status: Int32) throws {
        let process = Process()
        process.executableURL = BuiltProgram.path("swiped")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == status)
    }

    /// As it is before anybody has written a file: the defaults hold.
    @Test func startsWithoutAConfiguration() throws {
        guard !FileManager.default.fileExists(atPath: "/etc/swiped") else { return }
        let path = FileManager.default.temporaryDirectory.appending(path: "w-\(UUID().uuidString.prefix(8))")
            .path
        let process = Process()
        process.executableURL = BuiltProgram.path("swiped")
        process.arguments = ["--socket", path, "--foreground"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        _ = try LineClient(path: path, deadline: .now + .seconds(20))
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let bare = try FinishedProgram([BuiltProgram.path("swiped").path, "--check-config"])
        #expect(bare.status == 0)
        #expect(bare.output.contains("/etc/swiped/swiped.conf: there is no such file; the defaults hold"))
    }

    /// A name that the system does not have is told, and is a fault where that is asked for.
    @Test(arguments: [([], 0), (["--strict"], 78)] as [([String], Int32)])
    func unknownNames(_ arguments: [String], status: Int32) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "u-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "[access]\nfull = no-such-group\n".write(toFile: file, atomically: true, encoding: .utf8)
        let command = [BuiltProgram.path("swiped").path, "--check-config", "--config", file] + arguments
        let program = try FinishedProgram(command)
        #expect(program.status == status)
        #expect(program.errors.contains("\(file):2: [access] names 'no-such-group'"))
        #expect(program.output.contains("the configuration is good") == (status == 0))
        try "[access]\nfull = no-such-group\nadmin = ,,\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let faulty = try FinishedProgram(command)
        #expect(faulty.status == 78)
        #expect(faulty.errors.contains("\(file):2: [access] names 'no-such-group'"), "\(faulty.errors)")
        #expect(faulty.errors.contains("\(file):3: ',,' does not fit admin"))
    }

    /// Root reads everything, the daemon does not: what its user cannot read is a fault.
    @Test(
        .enabled(if: geteuid() == 0, "only root can become another user"),
        arguments: [("600", 78), ("644", 0)])
    func rootChecksAsTheDaemonReads(mode: String, status: Int32) throws {
        let surroundings = """
            mount -t tmpfs tmpfs /etc && mkdir -p /etc/swiped/swiped.conf.d && cd /etc &&
            printf 'root:x:0:0::/:/bin/sh\nswiped:x:990:990::/:/bin/sh\n' >passwd && printf 'root:x:0:\nswiped:x:990:\n' >group &&
            printf '[access]\nmasked = root\n' >swiped/swiped.conf.d/50-mine.conf && chmod \(mode) swiped/swiped.conf.d/* && exec "$@"
            """
        let words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", surroundings, "sh"]
        let program = try FinishedProgram(words + [BuiltProgram.path("swiped").path, "--check-config"])
        #expect(program.status == status, "\(program.errors)")
        guard status != 0 else { return }
        #expect(program.errors.contains("50-mine.conf: it cannot be read: Permission denied"))
        #expect(program.errors.contains("read as the user swiped"))
    }

    /// As in many a chroot: what the command line says holds there too.
    @Test(
        .enabled(if: geteuid() == 0, "only root can take /proc away"),
        arguments: [
            (["swiped", "--check-config", "--config", "LICENSE"], 78),
            (["swiped", "--check-config", "--config", "etc/swiped.conf"], 0),
            (["swiped", "--no-such-option"], 2), (["swipectl", "--no-such-option"], 2),
            (["swipectl", "generate", "udev-rules"], 0),
        ] as [([String], Int32)])
    func readsItsCommandLineWithoutProc(words: [String], status: Int32) throws {
        let program = BuiltProgram.path(words[0]).path
        let end = try FinishedProgram(Self.withoutProc + [program] + words.dropFirst())
        #expect(end.status == status, "\(end.output)\(end.errors)")
    }

    /// What begins threads needs /proc, its own: without it libdispatch ends a program at any time.
    @Test(
        .enabled(if: geteuid() == 0, "only root can take /proc away"),
        arguments: [["swiped"], ["swipectl", "status"], ["swipectl", "---completion", "status"]],
        [withoutProc, ["unshare", "--pid", "--fork"]])
    func saysThatItNeedsProc(words: [String], surroundings: [String]) throws {
        let command = [BuiltProgram.path(words[0]).path] + words.dropFirst()
        let end = try FinishedProgram(surroundings + command)
        #expect(end.status == 1, "\(end.output)")
        #expect(
            end.errors.hasPrefix("\(words[0]): /proc is not mounted here, or shows another PID namespace"))
        #expect(end.errors.hasSuffix("As root: mount -t proc proc /proc\n"))
    }

    /// Runs the words after it where nothing is in /proc.
    private static let withoutProc = [
        "unshare", "--mount", "--propagation", "private", "sh", "-c",
        #"mount -t tmpfs tmpfs /proc && exec "$@""#, "sh",
    ]

    @Test func aBadKeyIsOneLineWithItsPlace() throws {
        let daemon = try DaemonUnderTest("[log]\nlevle = info\n")
        daemon.process.waitUntilExit()
        #expect(daemon.process.terminationStatus == 78)
        let path = daemon.folder.appending(path: "swiped.conf").path
        #expect(
            daemon.logged.contains("bad configuration: \(path):2: unknown key 'levle'; known here: level"))
        #expect(daemon.logged.split(separator: "\n").count == 1)
    }

    @Test func aSecondDaemonIsRefusedInWords() throws {
        let first = try DaemonUnderTest("")
        _ = try first.connect()
        // Where it is not refused, it serves on.
        let limit = ["/usr/bin/timeout", "30"]
        let second = try DaemonUnderTest("", arguments: ["--socket", first.socket], inside: limit)
        second.process.waitUntilExit()
        #expect(second.process.terminationStatus == 1)
        let owner =
            "another swiped (process \(first.process.processIdentifier)) serves \(first.socket) already"
        #expect(second.logged.contains(owner))
        _ = try first.connect()
        // Nor does a third one when the file is gone, and the first one makes it again.
        unlink(first.socket)
        let third = try DaemonUnderTest("", arguments: ["--socket", first.socket], inside: limit)
        third.process.waitUntilExit()
        #expect(third.process.terminationStatus == 1)
        _ = try first.connect()
        #expect(first.logged.contains("event=daemon.socket_restored"))
    }

    /// A changed configuration is taken over without losing a connection; a broken one is refused.
    @Test func reloadsOnHangup() throws {
        let daemon = try DaemonUnderTest("[access]\nadmin = *\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        _ = daemon.makePipe("reports")
        try daemon.configure("[access]\nadmin = *\n[virtual-hid till]\nsource = {}/reports\n")
        kill(daemon.process.processIdentifier, SIGHUP)
        #expect(try client.lines(through: #""event":"ready""#).count == 3)
        try daemon.configure("[nonsense]\nkey = 1\n")
        client.send(#"{"id":2,"method":"reload"}"#)
        let refusal = try client.line()
        #expect(refusal.contains(#""code":"configuration.invalid""#))
        #expect(refusal.contains("swiped.conf:1: unknown section 'nonsense'"))
        try daemon.configure("[access]\nadmin = *\n")
        client.send(#"{"id":3,"method":"reload"}"#)
        // Three steps down and the reply, which may overtake them.
        let lines = try (0..<4).map { _ in try client.line() }
        #expect(lines.contains { $0.contains(#""id":3,"result""#) })
        #expect(lines.contains { $0.contains(#""reason":"configuration""#) })
    }

    /// After each reload the last word is whether a restart is needed: until one is made, or the change is taken back.
    @Test func theLastWordOfAReloadIsWhetherARestartIsNeeded() throws {
        let daemon = try DaemonUnderTest("[access]\nadmin = *\n")
        let client = try daemon.connect()
        func lastWord(of configuration: String) throws -> Substring? {
            try daemon.configure("[access]\nadmin = *\n" + configuration)
            client.send(#"{"id":1,"method":"reload"}"#)
            #expect(try client.line() == #"{"id":1,"result":{}}"#)
            return daemon.logged.matches(of: /event=(daemon\.reload\w*)/).last?.output.1
        }
        #expect(try lastWord(of: "[server]\nmax_clients = 9\n") == "daemon.reload_partial")
        #expect(
            try lastWord(of: "[server]\nmax_clients = 9\n[log]\nlevel = info\n") == "daemon.reload_partial")
        #expect(try lastWord(of: "") == "daemon.reload")
    }

    /// An administrator plugs, swipes and pulls out virtual readers; only where that was allowed at the start.
    @Test func simulates() throws {
        let configuration = """
            [access]
            masked = *
            admin = *
            [virtual-hid till]
            source = {}/reports
            [virtual-audio door]
            source = {}/sound
            [virtual-serial desk]
            type = text-line
            source = {}/line
            [virtual-serial frames]
            type = mrs100-line
            source = {}/frames

            """
        let daemon = try DaemonUnderTest(configuration, arguments: ["--allow-simulate"])
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        for reader in ["virtual-till", "virtual-door", "virtual-desk"] {
            for action in ["connect", "swipe", "disconnect"] {
                client.send(
                    #"{"id":2,"method":"simulate","params":{"reader":"\#(reader)","action":"\#(action)"}}"#)
                let end = action == "connect" ? "ready" : action
                let line = try client.lines(through: #""event":"\#(end)""#).last ?? ""
                #expect(line.contains(#""reader":"\#(reader)""#))
                if action == "swipe" { #expect(line.contains("476173******0011")) }
            }
        }
        client.send(#"{"id":3,"method":"simulate","params":{"reader":"virtual-frames","action":"swipe"}}"#)
        let refused = try client.answer(#"{"id":3"#)
        #expect(refused.contains(#""code":"reader.unsupported""#) && refused.contains("/frames"))
        // What is there already is there, what is gone is gone; a file of somebody's is neither plugged in nor removed.
        func simulate(_ reader: String, _ action: String) throws -> String {
            client.send(
                #"{"id":"again","method":"simulate","params":{"reader":"\#(reader)","action":"\#(action)"}}"#)
            return try client.answer(#"{"id":"again""#)
        }
        for action in ["disconnect", "connect", "connect", "disconnect", "disconnect"] {
            #expect(try simulate("virtual-till", action) == #"{"id":"again","result":{}}"#)
        }
        // A swipe right behind its reader waits until that is open.
        for reader in ["virtual-till", "virtual-door"] {
            _ = try simulate(reader, "connect")
            #expect(try simulate(reader, "swipe").contains(#""result":{"card":"visa"}"#))
            _ = try simulate(reader, "disconnect")
        }
        let file = daemon.folder.appending(path: "reports")
        try Data("mine".utf8).write(to: file)
        for action in ["connect", "disconnect"] {
            #expect(try simulate("virtual-till", action).contains(#""code":"reader.failed""#))
        }
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        let strict = try DaemonUnderTest(configuration)
        let stranger = try strict.connect()
        stranger.send(#"{"id":1,"method":"simulate","params":{"reader":"virtual-till","action":"connect"}}"#)
        #expect(try stranger.line().contains(#""code":"simulate.disabled""#))
    }

    /// READY=1 comes when clients can connect, STOPPING=1 before they hear `bye`.
    @Test func tellsSystemd() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "n-\(UUID().uuidString.prefix(8))")
            .path
        let notifications = try DatagramSocket(path: path)
        let daemon = try DaemonUnderTest(
            "", environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "100000"])
        #expect(try notifications.receive(through: "READY=1") == "READY=1")
        _ = try daemon.connect()
        #expect(try notifications.receive(through: "WATCHDOG=1") == "WATCHDOG=1")
        kill(daemon.process.processIdentifier, SIGHUP)
        #expect(try notifications.receive(through: "RELOADING=1").contains("MONOTONIC_USEC="))
        #expect(try notifications.receive(through: "READY=1") == "READY=1")
        #expect(daemon.terminate().status == 0)
        #expect(try notifications.receive(through: "STOPPING=1") == "STOPPING=1")
    }

    /// Many ask for a reload at the same time: each begins when the one before it has ended. Otherwise the one that read
    /// the older file could be applied last.
    @Test func reloadsOneAfterTheOther() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "n-\(UUID().uuidString.prefix(8))")
            .path
        let notifications = try DatagramSocket(path: path)
        let daemon = try DaemonUnderTest("[access]\nadmin = *\n", environment: ["NOTIFY_SOCKET": path])
        #expect(try notifications.receive(through: "READY=1") == "READY=1")
        let clients = try (0..<16).map { _ in try daemon.connect() }
        for client in clients { client.send(#"{"id":1,"method":"reload"}"#) }
        for _ in clients {
            #expect(try notifications.receive().hasPrefix("RELOADING=1"))
            #expect(try notifications.receive() == "READY=1")
        }
        for client in clients { #expect(try client.line() == #"{"id":1,"result":{}}"#) }
    }
}

/// The other end of `NOTIFY_SOCKET`.
private final class DatagramSocket {
    private let descriptor: Int32
    private let path: String

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let status = UnixAddress(path: path)?.with { bind(descriptor, $0, $1) }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func receive() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw POSIXError(.ETIMEDOUT) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    func receive(through prefix: String) throws -> String {
        while true {
            let message = try receive()
            if message.hasPrefix(prefix) { return message }
        }
    }
}

/// The socket that systemd hands over.
@Suite struct SocketActivationTests {
    private static let activator = "/usr/bin/systemd-socket-activate"

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: activator), "needs systemd-socket-activate")
    )
    func servesTheSocketItIsGiven() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "a-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = folder.appending(path: "swiped.conf")
        try "[server]\nsocket = \(folder.path)/not-this\n".write(
            to: configuration, atomically: true, encoding: .utf8)
        let socket = folder.appending(path: "s").path
        let process = Process()
        process.executableURL = URL(filePath: Self.activator)
        process.arguments = ["-l", socket, BuiltProgram.path("swiped").path, "--config", configuration.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let client = try LineClient(path: socket, deadline: .now + .seconds(20))
        client.send(#"{"id":7,"method":"ping"}"#)
        #expect(try client.line() == #"{"id":7,"result":{}}"#)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/not-this"))
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(FileManager.default.fileExists(atPath: socket), "the socket is systemd's, not ours to remove")
    }
}
