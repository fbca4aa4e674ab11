import Glibc

/// A file that is always whole: the new content is written next to it and replaces it in one step.
struct MetricsFile {
    let path: String

    /// Readable by all: the node exporter runs as a user of its own, and nothing in it is secret.
    private static let mode: mode_t = 0o644

    /// The collector reads names that end in `.prom` only.
    private var beside: String { path + ".new" }

    /// The error number where it could not be written; the old file stays then.
    func write(_ text: String) -> Int32? {
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, MetricsFile.mode)
        guard descriptor >= 0 else { return errno }
        let written = MetricsFile.writeAll(Array(text.utf8), to: descriptor)
        // The unit's umask removes the rights that open(2) was asked for.
        let failure = !written || fchmod(descriptor, MetricsFile.mode) != 0 ? errno : nil
        close(descriptor)
        if failure == nil, rename(beside, path) == 0 { return nil }
        let code = failure ?? errno
        unlink(beside)
        return code
    }

    /// No file is better than one with figures of a daemon that is not there.
    func remove() { unlink(path) }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
