/// Everything that ever leaves for an encoder. The list is closed: no case writes, erases, or sets coercivity, density or
/// leading zeros, so nothing in this daemon can say such a thing (`Tests/MSRReadersTests/NeverSentTests`).
///
/// Each command is ESC and a letter. Source: MSR606 Programmer's Manual, revision B; open clients that agree (`docs/encoders.md`).
enum MSRCommand: Sendable, Hashable, CaseIterable {
    /// Ends a pending read. No answer.
    case reset
    /// Answered with `ESC y`.
    case communicationTest
    /// Waits for a card; answered with a block of texts.
    case readISO
    /// Waits for a card; answered with a block of bits.
    case readRaw
    case model
    case firmware
    /// Asks which coercivity is set, and leaves it.
    case askCoercivity
    /// Asks how many leading zeros are set, and leaves them.
    case askLeadingZeros
    /// How many bits a byte of a raw block holds: eight, so that all of a stripe's bits come.
    case eightBits
    /// The same for whoever uses the encoder next: seven, five, five. ASSUMPTION: the maker has it so; what it was before, nobody
    /// can ask.
    case usualBits
    case lightsOff
    case green
    case yellow
    case red

    static let escape: UInt8 = 0x1B

    var bytes: [UInt8] {
        switch self {
        case .reset: [Self.escape, 0x61]
        case .communicationTest: [Self.escape, 0x65]
        case .readISO: [Self.escape, 0x72]
        case .readRaw: [Self.escape, 0x6D]
        case .model: [Self.escape, 0x74]
        case .firmware: [Self.escape, 0x76]
        case .askCoercivity: [Self.escape, 0x64]
        case .askLeadingZeros: [Self.escape, 0x6C]
        case .eightBits: [Self.escape, 0x6F, 8, 8, 8]
        case .usualBits: [Self.escape, 0x6F, 7, 5, 5]
        case .lightsOff: [Self.escape, 0x81]
        case .green: [Self.escape, 0x83]
        case .yellow: [Self.escape, 0x84]
        case .red: [Self.escape, 0x85]
        }
    }

    /// What an encoder is left with: nothing pending, its lights off, and the usual bits a byte.
    static let farewell: [MSRCommand] = [.reset, .usualBits, .lightsOff]
}
