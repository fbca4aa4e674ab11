internal import Glibc
internal import UnixIO

/// What the command line of a service's program prints; a service at work writes its log only.
package enum Console {
    /// What error messages begin with. Set once, before any task.
    package nonisolated(unsafe) static var program = ""
    /// The first error of a result that could not be written; 0 before that. One task prints.
    private nonisolated(unsafe) static var failure: Int32 = 0

    package static func result(_ text: String) {
        let code = Whole.write(text.utf8, to: STDOUT_FILENO)
        if failure == 0 { failure = code }
    }

    package static func error(_ text: String) { _ = Whole.write(text.utf8, to: STDERR_FILENO) }

    /// A line of complaint, under the program's name, without what would steer a terminal: names of files may hold anything.
    package static func complain(_ text: String) {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        error("\(program): \(String(String.UnicodeScalarView(scalars)))\n")
    }

    /// The exit status: another than 0 where a result did not get to its reader. A pipe that is closed needs no words.
    package static func status(_ wanted: Int32) -> Int32 {
        if failure == 0, close(STDOUT_FILENO) != 0, errno != EINTR, errno != EBADF { failure = errno }
        guard failure != 0 else { return wanted }
        if failure != EPIPE { complain("standard output: \(String(cString: strerror(failure)))") }
        if wanted != 0 { return wanted }
        return failure == EPIPE ? 128 + SIGPIPE : 1
    }
}
