import Glibc
import UnixIO

/// A file that is always whole: the new content is written next to it and replaces it in one step.
package struct MetricsFile: Sendable {
    let path: String

    package init(path: String) { self.path = path }

    /// Readable by all: the node exporter runs as a user of its own, and nothing in it is secret.
    private static let mode: mode_t = 0o644

    /// The collector reads names that end in `.prom` only.
    private var beside: String { path + ".new" }

    /// The error number where it could not be written; the old file stays then. What is no file stays too: to replace a socket or a
    /// device by its name would take it from whoever needs it.
    package func write(_ text: String) -> Int32? {
        guard mayReplace else { return EEXIST }
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, MetricsFile.mode)
        guard descriptor >= 0 else { return errno }
        var failure: Int32? = Whole.write(text.utf8, to: descriptor)
        // The unit's umask removes the rights that open(2) was asked for.
        if failure == 0 { failure = fchmod(descriptor, MetricsFile.mode) == 0 ? nil : errno }
        close(descriptor)
        if failure == nil, rename(beside, path) == 0 { return nil }
        let code = failure ?? errno
        unlink(beside)
        return code
    }

    /// No file is better than one with figures of a daemon that is not there.
    package func remove() { if mayReplace { unlink(path) } }

    private var mayReplace: Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        return [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT)
    }
}
