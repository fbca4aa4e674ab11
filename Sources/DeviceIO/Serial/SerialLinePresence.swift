import Glibc
import ReaderKit

extension SerialLineConfiguration {
    /// What to tell of a line that is not there.
    package func whyAbsent() -> String {
        let advice = "ls -l /dev/serial/by-id/ lists the adapters that are there"
        return access(path, F_OK) == 0 ? "that is no serial line; \(advice)" : "nothing is there; \(advice)"
    }
}

/// Which of the configured lines are there.
///
/// A line is known by the path that the configuration names, whatever it leads to: a by-id name stays when `ttyUSB` numbers change,
/// and one that comes to lead to another node is another device. A change is noticed by udev's messages about ttys, which come
/// when its links are made, and by the folder that the path is in: a pty has no udev.
struct SerialLinePresence {
    /// The lines that are there now, each with what tells it from one that comes later under the same path.
    static func sightings(_ lines: [SerialLineConfiguration]) -> [DeviceTable.Sighting] {
        lines.compactMap { line in
            node(at: line.path).map { DeviceTable.Sighting(device: line.identity, object: $0) }
        }
    }

    /// The node at the end of the path; nil where none is, or something else.
    private static func node(at path: String) -> SysfsObject? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
        return SysfsObject(inode: UInt64(status.st_ino))
    }
}
