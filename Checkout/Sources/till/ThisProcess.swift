import Glibc

/// What the kernel says of this process (proc_pid_stat(5)).
enum ThisProcess {
    /// When it began: the time since the machine began; nil where /proc does not say.
    static var sinceBoot: Duration? {
        let ticks = sysconf(Int32(_SC_CLK_TCK))
        guard ticks > 0, let start = field(22) else { return nil }
        // Up: what was over in the same tick was over before.
        return .milliseconds((start + 1) * 1000 / ticks)
    }

    /// The number of the terminal that it belongs to, also where it reads from a pipe; nil for none.
    static var terminal: Int? { field(7).flatMap { $0 == 0 ? nil : $0 } }

    private static func field(_ number: Int) -> Int? {
        let descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        // The program's name, which may have anything in it, ends with the last parenthesis; the third field follows.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.indices.contains(number - 3) ? Int(fields[number - 3]) : nil
    }
}
