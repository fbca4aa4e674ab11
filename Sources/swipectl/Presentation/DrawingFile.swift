import Glibc
import UnixIO

/// A file that a drawing is written to.
enum DrawingFile {
    /// - Parameter isSecret: whether only the owner may read it. A new file is its owner's alone in any case.
    static func write(_ svg: String, to path: String, isSecret: Bool) throws(SoundError) {
        func failure() -> SoundError { SoundError("\(path): \(String(cString: strerror(errno)))") }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        var isOpen = true
        defer { if isOpen { close(descriptor) } }
        // A file that was there has a mode of its own. What is no file, as /dev/stdout, has none of ours.
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        if isSecret, status.st_mode & S_IFMT == S_IFREG {
            guard fchmod(descriptor, 0o600) == 0 else { throw failure() }
        }
        guard Whole.write(svg.utf8, to: descriptor) == 0 else { throw failure() }
        // A full disk may say so only now.
        isOpen = false
        guard close(descriptor) == 0 else { throw failure() }
    }
}
