/// How a reader on a headset jack is powered and how it talks, as data.
///
/// Nothing of this is public for any reader. Every default is an ASSUMPTION, with what it leans on beside it
/// (`AcousticProfiles.swift`); a profile file corrects it without code.
///
///     host      ~~~~~~ tone ~~~~~~[burst]~~~~~~ tone ~~~~~~~~~~~~~~~~~~~~
///     reader    ______ power-up ____________[preamble gap byte byte … end]
///
/// A byte is a start bit 0, eight bits with the lowest first, a parity bit where there is one, a stop bit 1.
package struct AcousticProfile: Sendable, Hashable {
    package enum Reader: String, Sendable, Hashable, CaseIterable {
        case unimag, ips
        case ipsEnterprise = "ips_enterprise"
    }

    /// How bits become levels.
    package enum LineCode: String, Sendable, Hashable, CaseIterable {
        /// Each bit is a level; 1 is the upper one.
        case uart
        /// The level changes at the beginning of each bit, and in the middle of a 1 (F2F, biphase mark).
        case biphase
        /// The level changes in the middle of each bit, upwards for a 1 (IEEE 802.3).
        case manchester
    }

    package enum Parity: String, Sendable, Hashable, CaseIterable { case none, even, odd }

    package enum Polarity: String, Sendable, Hashable, CaseIterable { case normal, inverted }

    /// Whether the tone goes on for as long as the reader is used.
    package enum Power: String, Sendable, Hashable, CaseIterable {
        /// The reader lives on it.
        case steady
        /// The reader has a battery; the tone wakes it up and ends after the power-up time.
        case wakeUp = "wake_up"
    }

    package var name: String
    package var reader: Reader
    package var tone: PowerTone
    package var power: Power
    /// From the tone's beginning to the first command.
    package var powerUp: Duration
    package var code: LineCode
    /// Bits a second, both ways.
    package var baud: Int
    package var parity: Parity
    /// Of what we play.
    package var commandPolarity: Polarity
    /// Of what the reader sends; a line code that only knows changes does not care.
    package var replyPolarity: Polarity
    /// The amplitude of a command, 0…1 of full scale.
    package var commandLevel: Double
    /// How many bits come before the first byte: alternating in `uart`, ones in the others.
    package var preambleBits: Int
    /// Bits of 1 between the preamble and the first byte, and behind the last.
    package var gapBits: Int
    /// The smallest swing from level to level that is listened to, of full scale (which is 1, top to bottom 2).
    package var quietestSwing: Double
    /// How many times the swing of the silence before it a burst has at least.
    package var overNoise: Double
    /// The rates that the sound card is asked for.
    package var captureRate: Int
    package var playbackRate: Int

    package init(
        name: String, reader: Reader, tone: PowerTone, power: Power, powerUp: Duration, code: LineCode,
        baud: Int, parity: Parity = .none, commandPolarity: Polarity = .normal,
        replyPolarity: Polarity = .normal, commandLevel: Double = 1, preambleBits: Int, gapBits: Int = 12,
        quietestSwing: Double = 0.02, overNoise: Double = 2, captureRate: Int, playbackRate: Int
    ) {
        self.name = name
        self.reader = reader
        self.tone = tone
        self.power = power
        self.powerUp = powerUp
        self.code = code
        self.baud = baud
        self.parity = parity
        self.commandPolarity = commandPolarity
        self.replyPolarity = replyPolarity
        self.commandLevel = commandLevel
        self.preambleBits = preambleBits
        self.gapBits = gapBits
        self.quietestSwing = quietestSwing
        self.overNoise = overNoise
        self.captureRate = captureRate
        self.playbackRate = playbackRate
    }

    /// Whether a reader that was powered up by the other needs no more for this one.
    package func isPowered(like other: AcousticProfile) -> Bool {
        guard tone == other.tone, power == other.power else { return false }
        return power == .steady || powerUp == other.powerUp
    }

    /// Bits of one byte: start, data, parity, stop.
    package var bitsPerByte: Int { parity == .none ? 10 : 11 }

    /// How long so many bytes sound.
    package func duration(ofBytes count: Int) -> Duration {
        let bits = preambleBits + 2 * gapBits + max(0, count) * bitsPerByte
        return .microseconds(Int64(bits) * 1_000_000 / Int64(max(1, baud)))
    }
}
