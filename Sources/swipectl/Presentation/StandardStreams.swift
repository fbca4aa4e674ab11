import Glibc

/// Why a result could not be written.
struct OutputFailure: Error, CustomStringConvertible {
    /// What the kernel answered.
    let code: Int32

    /// Whether whoever read the result has gone: `| head -1` has what it wanted.
    var isUnwanted: Bool { code == EPIPE }

    var description: String { String(cString: strerror(code)) }
}

/// Standard input, output and error, from the beginning of the process to its end.
enum StandardStreams {
    /// Before anything is opened or written.
    ///
    /// A stream that the shell closed (`>&-`) has its number given to the next thing that is opened, which may be the
    /// daemon's socket: something that can neither be read nor written keeps each place. A pipe that nobody reads is an
    /// error of the write then, so that a claim is given back first.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is that one.
            _ = open("/dev/null", mode)
        }
    }

    /// After the last result: what a file system says only when a file is closed.
    static func finish() throws(OutputFailure) {
        guard close(STDOUT_FILENO) != 0, errno != EINTR else { return }
        throw OutputFailure(code: errno)
    }

    /// Ends a process whose result could not be written: as a closed pipe ends any program, else with words.
    static func end(_ failure: OutputFailure) -> Never {
        if failure.isUnwanted { EndingSignal.end(by: SIGPIPE) }
        Output.complain("standard output: \(failure)")
        exit(ExitStatus.failure.rawValue)
    }
}
