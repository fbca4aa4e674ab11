import Glibc
import Synchronization
import TillScreen

/// What was typed before the till read its keys, while the terminal still showed each of them.
enum EarlyKeys {
    private static let kept = Mutex<[UInt8]>([])
    /// More than a card, or a track, has.
    private static let most = 4_096

    /// Takes what is there, once the terminal shows nothing any more, and takes it off the screen: the till stands at the beginning
    /// of a line when it begins.
    ///
    /// - Parameter isShown: whether the terminal has shown them.
    static func take(columns: Int, isShown: Bool) {
        var count: Int32 = 0
        guard ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0, count > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: min(Int(count), most))
        let read = bytes.withUnsafeMutableBytes { Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count) }
        bytes = Array(bytes.prefix(max(read, 0)))
        kept.withLock { $0 = Array(($0 + bytes).prefix(most)) }
        guard isShown else { return }
        let screen = open("/dev/tty", O_WRONLY | O_CLOEXEC)
        guard screen >= 0 else { return }
        defer { close(screen) }
        let rows = EchoedText.rows(bytes, columns: columns)
        Console.write((rows > 0 ? "\u{1B}[\(rows)A" : "") + "\r\u{1B}[J", to: screen)
    }

    /// For whoever reads next, once.
    static func given() -> [UInt8] {
        kept.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }
}
