import Glibc
import UnixIO

/// The journal's own socket, which accepts entries with fields.
///
/// An entry is a datagram of lines `NAME=value` (systemd.journal-fields(7), "Native Journal Protocol"). Values have no
/// newlines here, so the form for those is not needed.
package final class JournalSocket: Sendable {
    /// Where the journal receives entries.
    package static let defaultPath = "/run/systemd/journal/socket"

    private let descriptor: Int32
    private let address: UnixAddress
    private let program: String

    /// Nil where there can be no socket of that name. Whether a journal receives there shows with each entry.
    ///
    /// - Parameter program: what the journal calls the program: SYSLOG_IDENTIFIER.
    package init?(path: String = JournalSocket.defaultPath, program: String = "swiped") {
        guard let address = UnixAddress(path: path) else { return nil }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        self.address = address
        self.program = program
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Whether the journal accepted the entry. It never waits: a slow journal must not stop the daemon.
    ///
    /// Each entry goes to the socket that is at the path by then. A socket that was connected once would lead to a
    /// journal that is gone for as long as the daemon runs, where `systemd-journald.socket` was started anew.
    package func send(_ message: String, priority: Int, _ values: [(String, String)]) -> Bool {
        var entry = "MESSAGE=\(message)\nPRIORITY=\(priority)\nSYSLOG_IDENTIFIER=\(program)\n"
        for (key, value) in values { entry += "\(JournalSocket.fieldName(key))=\(value)\n" }
        let bytes = Array(entry.utf8)
        return address.with { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
            == bytes.count
    }

    /// Upper-case letters, digits and `_` only; ours begin with `SWIPED_`.
    private static func fieldName(_ key: String) -> String {
        let letters = key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return "SWIPED_" + String(letters)
    }
}
