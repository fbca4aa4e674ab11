import CCommandLine
import Glibc

/// A command of this program's, run as a process of its own with the same terminal: whatever it does to its signals or its
/// screen, it is over with it.
struct ChildCommand {
    private static let program = "/proc/self/exe"
    private static let period = Duration.milliseconds(20)

    private let process: pid_t

    /// - Parameter socket: the daemon's, for all of them.
    init(_ words: [String], socket: String) throws(CommandFailure) {
        setenv("SWIPED_SOCKET", socket, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The shell ignores what ends a command.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let arguments = (["swipectl"] + words).map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawn(
            &process, Self.program, nil, &attributes, arguments + [nil], command_line_environment())
        guard code == 0 else {
            throw CommandFailure(
                .failure, "the command cannot be started: \(String(cString: strerror(code)))")
        }
        self.process = process
    }

    /// Its exit status, as a shell tells it.
    func status() async throws -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 { try await Task.sleep(for: Self.period) }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
