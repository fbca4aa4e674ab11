import Glibc

/// The journal's own socket, which accepts entries with fields.
///
/// An entry is a datagram of lines `NAME=value` (systemd.journal-fields(7), "Native Journal Protocol"). Values have no
/// newlines here, so the form for those is not needed.
package final class JournalSocket: Sendable {
    /// Where the journal receives entries.
    package static let defaultPath = "/run/systemd/journal/socket"

    private let descriptor: Int32
    private let address: sockaddr_un

    /// Nil where there can be no socket of that name. Whether a journal receives there shows with each entry.
    package init?(path: String = JournalSocket.defaultPath) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        self.address = address
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Whether the journal accepted the entry. It never waits: a slow journal must not stop the daemon.
    ///
    /// Each entry goes to the socket that is at the path by then. A socket that was connected once would lead to a
    /// journal that is gone for as long as the daemon runs, where `systemd-journald.socket` was started anew.
    func send(_ message: String, priority: Int, _ values: [(String, String)]) -> Bool {
        var entry = "MESSAGE=\(message)\nPRIORITY=\(priority)\nSYSLOG_IDENTIFIER=swiped\n"
        for (key, value) in values { entry += "\(JournalSocket.fieldName(key))=\(value)\n" }
        let bytes = Array(entry.utf8)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0,
                    socklen_t(MemoryLayout<sockaddr_un>.size)) == bytes.count
            }
        }
    }

    /// Upper-case letters, digits and `_` only; ours begin with `SWIPED_`.
    private static func fieldName(_ key: String) -> String {
        let letters = key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return "SWIPED_" + String(letters)
    }
}
