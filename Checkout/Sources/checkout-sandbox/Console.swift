import Glibc

/// Standard output, a line at a time, seen at once also on a pipe. What cannot be written ends the program: whoever waits for the
/// address would wait for ever.
enum Console {
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                perror("checkout-sandbox: standard output")
                exit(1)
            }
            rest = rest.dropFirst(count)
        }
    }
}
