import ReaderKit

/// The stable names of readers.
package enum ReaderName {
    /// Long enough for any serial number; names go into every event.
    static let maximumLength = 64

    /// The serial number where there is one, else the port, else the kernel's name for the device.
    static func make(serial: String?, port: String?, syspath: String) -> String {
        let leaf = syspath.split(separator: "/").last.map(String.init)
        return plain(serial ?? port ?? leaf ?? "unknown")
    }

    /// Nil for what makers put in place of a number: nothing, or zeros.
    static func serial(_ text: String?) -> String? {
        guard let text, text.contains(where: { $0 != "0" && $0 != " " }) else { return nil }
        return text
    }

    /// Only characters that need no quoting in a shell, a URL or a file name.
    package static func plain(_ text: String) -> String {
        let characters = text.unicodeScalars.prefix(maximumLength).map { scalar in
            isPlain(scalar) ? Character(scalar) : "-"
        }
        return String(characters)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
        case _: false
        }
    }
}
