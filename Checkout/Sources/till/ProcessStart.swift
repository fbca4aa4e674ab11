import Glibc

/// When this process began.
enum ProcessStart {
    /// The time since the machine began, as field 22 of proc_pid_stat(5) has it; nil where /proc does not say.
    static var sinceBoot: Duration? {
        let descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        return sinceBoot(
            String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self), sysconf(Int32(_SC_CLK_TCK)))
    }

    /// - Parameter ticks: how many there are in a second.
    private static func sinceBoot(_ text: String, _ ticks: Int) -> Duration? {
        // The program's name, which may have anything in it, ends with the last parenthesis; the third field follows.
        guard ticks > 0, let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let start = Int(fields[19]) else { return nil }
        // Up: what was over in the same tick was over before.
        return .milliseconds((start + 1) * 1000 / ticks)
    }
}
