/// How an encoder says that a command ended: the byte behind the last ESC.
enum MSRStatus: UInt8, Sendable, Hashable, CaseIterable {
    case fine = 0x30
    /// Nothing was read, or not all.
    case readError = 0x31
    case formatError = 0x32
    /// It does not know the command.
    case commandError = 0x34
    /// The card was moved too fast, too slowly, or the wrong way.
    case movedWrongly = 0x39
    case failed = 0x41

    var sentence: String {
        switch self {
        case .fine: "fine"
        case .readError: "read error"
        case .formatError: "format error"
        case .commandError: "refused command"
        case .movedWrongly: "card moved wrongly"
        case .failed: "failure"
        }
    }
}
