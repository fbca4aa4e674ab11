import Foundation
import Testing

/// What the kernel, or root with a debugger, can make of the living daemon.
@Suite(.serialized, .enabled(if: getuid() == 0, "needs root"))
struct CoreTests {
    /// Runs programs with core files allowed, ends each with SIGABRT, and prints of each whether the kernel wrote one.
    private static let script = """
        import os, resource, signal, sys, time
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        # A test's children have inherited what its threads block.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.chdir(sys.argv[1])
        def dumped(words, is_up):
            child = os.fork()
            if child == 0:
                os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
                os.execv(words[0], words)
            while not is_up(child): time.sleep(0.01)
            os.kill(child, signal.SIGABRT)
            return os.WCOREDUMP(os.waitpid(child, 0)[1])
        is_sleep = lambda child: open(f"/proc/{child}/comm").read() == "sleep\\n"
        print(dumped(["/bin/sleep", "60"], is_sleep))
        if len(sys.argv) > 2:
            print(dumped([sys.argv[2], "--socket", "s", "--foreground"], lambda child: os.path.exists("s")))
        """

    /// What the script prints, and the files that were written meanwhile.
    private static func dump(_ program: [String]) throws -> (said: String, files: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "core-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ended = try FinishedProgram(["python3", "-c", script, folder.path] + program)
        return (ended.output + ended.errors, try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    /// Whether this kernel writes core files at all, of a program that forbids nothing.
    private static let coreFilesAreWritten = (try? dump([]).said) == "True\n"

    /// The kernel writes no core file of the daemon, although the limit allows one.
    @Test(.enabled(if: CoreTests.coreFilesAreWritten, "this kernel writes no core files of anything"))
    func thereIsNoCoreFile() throws {
        let (said, files) = try Self.dump([BuiltProgram.path("swiped").path])
        #expect(said == "True\nFalse\n")
        #expect(files.filter { $0.contains("swiped") } == [])
    }

    private static let gcore = "/usr/bin/gcore"
    private static let number = "5452300551227189"
    private static let track = "080432100000007250"

    /// A core that root forces out of the daemon: while a card is kept for its claimant it has the card where root insists
    /// on the memory that is left out of core dumps, and nowhere else; a second after its delivery it has nothing of it.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: CoreTests.gcore), "needs gdb"),
        .timeLimit(.minutes(10)))
    func aForcedCoreHasNoCardASecondAfterItsDelivery() throws {
        let daemon = try DaemonUnderTest(
            "[server]\nswipe_hold = 300\n[access]\nfull = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe","params":{"events":["ready","swipe"]}}"#)
        _ = try observer.line()
        let pipe = daemon.makePipe("reports")
        _ = try observer.line()
        let token = try claim(daemon, token: nil)
        var asked = 2
        repeat {
            observer.send(#"{"id":\#(asked),"method":"readers"}"#)
            asked += 1
        } while try !observer.line().contains(#""connection":0"#)
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        _ = try observer.lines(through: #""event":"swipe""#)
        let everything = [daemon.socket, Self.number, Self.track]
        #expect(try daemon.foundInForcedCore(.everything, everything) == everything)
        #expect(try daemon.foundInForcedCore(.whatMayBeDumped, everything) == [daemon.socket])
        // Back again, the claimant is given the card, and leaves for good.
        _ = try claim(daemon, token: token)
        #expect(try daemon.left(of: [Self.number, Self.track]) == [])
        let found = try daemon.foundInForcedCore(.everything, everything)
        #expect(found == [daemon.socket])
    }

    /// Claims the reader, fetches what was kept where there is a token, and goes; the token.
    private func claim(_ daemon: DaemonUnderTest, token: String?) throws -> String {
        let client = try daemon.connect()
        let with = token.map { #","token":"\#($0)""# } ?? ""
        client.send(#"{"id":1,"method":"claim","params":{"reader":"virtual-till"\#(with)}}"#)
        let granted = try client.line()
        if token != nil { #expect(try client.line().contains(Self.number)) }
        return String(try #require(granted.firstMatch(of: /"token":"([^"]*)"/)).1)
    }

    /// Where no core files are written this shows the same: what belongs to a process that may not be dumped belongs to
    /// root in /proc (proc(5)), so that others of its own user can neither read its memory nor attach to it.
    @Test func theProcessBelongsToRoot() throws {
        let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let folder = "/tmp/swiped-\(UUID().uuidString.prefix(8))"
        for (program, owner) in [("sleep", 65_534), ("swiped", 0)] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            let words =
                program == "sleep"
                ? ["sleep", "60"]
                : [BuiltProgram.path("swiped").path, "--socket", folder + "/s", "--foreground"]
            mkdir(folder, 0o777)
            chmod(folder, 0o777)
            process.arguments = user + words
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer {
                kill(process.processIdentifier, SIGKILL)
                try? FileManager.default.removeItem(atPath: folder)
            }
            let directory = "/proc/\(process.processIdentifier)"
            let deadline = ContinuousClock.now + .seconds(20)
            var found: Int?
            while found != owner, .now < deadline {
                let name = try? String(contentsOfFile: directory + "/comm", encoding: .utf8)
                guard name == program + "\n" else { continue }
                let facts = try? FileManager.default.attributesOfItem(atPath: directory + "/environ")
                found = facts?[.ownerAccountID] as? Int
            }
            #expect(found == owner, "\(program)")
        }
    }
}

/// What of a process a forced core holds.
enum CoreExtent {
    /// What the process lets be dumped.
    case whatMayBeDumped
    /// That, and what it has left out (MADV_DONTDUMP).
    case everything
}

extension DaemonUnderTest {
    /// Which of the texts are in a core that gdb makes as root of the daemon as it runs, every thread's registers included.
    fileprivate func foundInForcedCore(_ extent: CoreExtent, _ texts: [String]) throws -> [String] {
        let prefix = folder.appending(path: "core").path
        let all = extent == .everything ? ["-a"] : []
        let id = process.processIdentifier
        let ended = try FinishedProgram(["gcore"] + all + ["-o", prefix, "\(id)"], limit: 120)
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        let core = "\(prefix).\(id)"
        defer { try? FileManager.default.removeItem(atPath: core) }
        return try texts.filter { try FinishedProgram(["grep", "-qaF", $0, core], limit: 120).status == 0 }
    }
}
