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
