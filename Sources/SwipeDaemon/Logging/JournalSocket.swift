import Glibc

/// The journal's own socket, which takes entries with fields.
///
/// An entry is a datagram of lines `NAME=value` (systemd.journal-fields(7), "Native Journal Protocol"). Values have no
/// newlines here, so the form for those is not needed.
package final class JournalSocket: Sendable {
    /// Where the journal listens.
    package static let defaultPath = "/run/systemd/journal/socket"

    private let descriptor: Int32

    /// Nil where nobody listens at that path.
    package init?(path: String = JournalSocket.defaultPath) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [descriptor] in
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Whether the journal took the entry. It never waits: a journal that is behind must not stop the daemon.
    func send(_ message: String, priority: Int, _ values: [(String, String)]) -> Bool {
        var entry = "MESSAGE=\(message)\nPRIORITY=\(priority)\nSYSLOG_IDENTIFIER=swiped\n"
        for (key, value) in values { entry += "\(JournalSocket.fieldName(key))=\(value)\n" }
        let bytes = Array(entry.utf8)
        return bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count
        }
    }

    /// Upper-case letters, digits and `_` only; ours begin with `SWIPED_`.
    private static func fieldName(_ key: String) -> String {
        let letters = key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return "SWIPED_" + String(letters)
    }
}
