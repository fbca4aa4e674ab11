import Foundation

/// A card whose volume nobody can read or set for a while: whoever tries waits, as for a driver that hangs.
///
/// In the place of the virtual card's volume stands a FIFO that nobody writes to.
final class HeldMixer {
    private let path: String
    private var kept: String { path + ".kept" }
    private var writer: Int32 = -1

    init(of desk: JackedDaemon) throws {
        path = desk.path("volume")
        guard rename(path, path + ".kept") == 0, mkfifo(path, 0o600) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Who waits reads what the volume was; who comes from now on finds the card as it was.
    func release() throws {
        let text = try String(contentsOfFile: kept, encoding: .utf8).trimmingCharacters(in: .newlines)
        // So long is what one reader takes (`mixer_state.c`).
        let record = text.padding(toLength: 32, withPad: " ", startingAt: 0)
        writer = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard writer >= 0, rename(kept, path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        let all = Array(String(repeating: record, count: 8).utf8)
        _ = all.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
    }

    deinit { if writer >= 0 { close(writer) } }
}
