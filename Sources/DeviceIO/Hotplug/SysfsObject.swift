import Glibc

/// One of the kernel's devices, told from one that came later under the same path.
///
/// sysfs counts its inodes on and gives none away twice (fs/kernfs/dir.c, `idr_alloc_cyclic` with a generation).
struct SysfsObject: Sendable, Hashable {
    private let inode: UInt64

    /// Nil where nothing is at that path, as for virtual readers.
    init?(at syspath: String) {
        var status = stat()
        guard stat(syspath, &status) == 0 else { return nil }
        inode = UInt64(status.st_ino)
    }

    /// For tests.
    init(inode: UInt64) { self.inode = inode }
}
