/// How characters are laid on a track: everything a decoder needs, as data, so that a site's own format needs no code.
///
/// A character travels least significant data bit first, then its parity bit. After the end sentinel comes the
/// LRC character, whose data bits make every data-bit column of the track (start sentinel to LRC) even; its own
/// parity bit follows the format's character parity.
/// Source: ISO/IEC 7811-2 and -6 (tracks 1 to 3), JIS X 6302 type II; see `docs/card-data.md`.
public struct TrackFormat: Sendable, Hashable {
    /// The rule for a character's parity bit.
    public enum Parity: Sendable, Hashable {
        /// The count of ones in a character, parity bit included, is odd.
        case odd
        /// The count of ones in a character, parity bit included, is even.
        case even
        /// There is no parity bit.
        case none
    }

    /// A short stable name, as on the wire: `iso1`.
    public var name: String
    /// Data bits in a character, without parity.
    public var dataBits: Int
    /// The parity rule.
    public var parity: Parity
    /// The ASCII code of the character whose data bits are all zero.
    public var firstCharacter: UInt8
    /// The start sentinel, as ASCII.
    public var startSentinel: UInt8
    /// The end sentinel, as ASCII.
    public var endSentinel: UInt8
    /// Whether an LRC character follows the end sentinel.
    public var hasLRC: Bool
    /// The longest track that the format allows, in characters, sentinels and LRC included.
    public var maximumCharacters: Int

    /// Describes a format; see the properties.
    public init(
        name: String, dataBits: Int, parity: Parity, firstCharacter: UInt8, startSentinel: UInt8,
        endSentinel: UInt8, hasLRC: Bool = true, maximumCharacters: Int
    ) {
        self.name = name
        self.dataBits = dataBits
        self.parity = parity
        self.firstCharacter = firstCharacter
        self.startSentinel = startSentinel
        self.endSentinel = endSentinel
        self.hasLRC = hasLRC
        self.maximumCharacters = maximumCharacters
    }

    /// Bits in a character, parity included.
    public var bitsPerCharacter: Int { dataBits + (parity == .none ? 0 : 1) }
}

extension TrackFormat {
    /// ISO/IEC 7811 track 1 (IATA): 6 bits and odd parity, `%` to `?`, 79 characters.
    public static let iso1 = TrackFormat(
        name: "iso1", dataBits: 6, parity: .odd, firstCharacter: 0x20, startSentinel: UInt8(ascii: "%"),
        endSentinel: UInt8(ascii: "?"), maximumCharacters: 79)

    /// ISO/IEC 7811 track 2 (ABA): 4 bits and odd parity, `;` to `?`, 40 characters.
    public static let iso2 = TrackFormat(
        name: "iso2", dataBits: 4, parity: .odd, firstCharacter: 0x30, startSentinel: UInt8(ascii: ";"),
        endSentinel: UInt8(ascii: "?"), maximumCharacters: 40)

    /// ISO/IEC 4909 track 3 (thrift): 4 bits and odd parity, `;` to `?`, 107 characters.
    public static let iso3 = TrackFormat(
        name: "iso3", dataBits: 4, parity: .odd, firstCharacter: 0x30, startSentinel: UInt8(ascii: ";"),
        endSentinel: UInt8(ascii: "?"), maximumCharacters: 107)

    /// AAMVA driving licences, tracks 1 and 3: track 1's alphabet, up to 82 characters.
    public static let aamva = TrackFormat(
        name: "aamva", dataBits: 6, parity: .odd, firstCharacter: 0x20, startSentinel: UInt8(ascii: "%"),
        endSentinel: UInt8(ascii: "?"), maximumCharacters: 82)

    /// JIS X 6302 type II: 7 bits and even parity, 0x7F to 0x7F, 72 characters.
    public static let jis2 = TrackFormat(
        name: "jis2", dataBits: 7, parity: .even, firstCharacter: 0x00, startSentinel: 0x7F,
        endSentinel: 0x7F, maximumCharacters: 72)
}
