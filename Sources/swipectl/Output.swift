import Glibc

/// Where swipectl writes: results to standard output, everything else to standard error.
///
/// Straight to the descriptor, unbuffered: each event line of `watch` is then with its reader at once,
/// also when standard output is a pipe.
enum Output {
    /// Writes a piece of the result.
    static func result(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    /// Writes a message for people.
    static func error(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// Writes all of `text`; whoever closed the other end is not an error of ours.
    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return
            }
        }
    }
}
