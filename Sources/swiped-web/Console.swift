import Glibc

/// What the command line prints; the gateway at work writes its log only.
enum Console {
    /// The first error of a result that could not be written; 0 before that. One task prints.
    private nonisolated(unsafe) static var failure: Int32 = 0

    static func result(_ text: String) {
        let code = write(text, to: STDOUT_FILENO)
        if failure == 0 { failure = code }
    }

    static func error(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    /// The exit status: another than 0 where a result did not get to its reader. A pipe that is closed needs no words.
    static func status(_ wanted: Int32) -> Int32 {
        if failure == 0, close(STDOUT_FILENO) != 0, errno != EINTR, errno != EBADF { failure = errno }
        guard failure != 0 else { return wanted }
        if failure != EPIPE { error("swiped-web: standard output: \(String(cString: strerror(failure)))\n") }
        if wanted != 0 { return wanted }
        return failure == EPIPE ? 128 + SIGPIPE : 1
    }

    /// - Returns: the error of the write that failed, or 0.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            bytes = bytes.dropFirst(count)
        }
        return 0
    }
}
