import ReaderPackets

/// A MagTek swipe report, taken apart by a layout. Nothing in it is believed yet but its size.
package struct MagTekReport: Sendable {
    /// Why a report was not accepted as a whole. Single tracks are refused one by one.
    package enum Refusal: Error, Sendable, Hashable {
        case wrongLength(Int, expected: [Int])
        /// Nothing was read, and the bytes that say why hold what no document names.
        case unknownStatus
        /// Nothing was read, and the reader says why.
        case fault(MagTekFault)
        /// A track that was decoded has no character in its first place: these are the first bytes of another layout's report.
        case otherLayout

        package var sentence: String {
            switch self {
            case .wrongLength(let length, let expected):
                "report of \(length) bytes instead of \(expected.map(String.init).joined(separator: ", "))"
            case .unknownStatus: "status bytes that no reader sends"
            case .fault(let fault): fault.rawValue
            case .otherLayout: "report whose tracks do not begin where this model's do"
            }
        }
    }

    let layout: MagTekLayout
    let bytes: [UInt8]

    package init(_ bytes: [UInt8], layout: MagTekLayout) throws(Refusal) {
        guard bytes.count == layout.length else { throw .wrongLength(bytes.count, expected: [layout.length]) }
        self.bytes = bytes
        self.layout = layout
    }

    /// Whether the bytes of which the values are known have one of them.
    package var isPlausible: Bool {
        [MagTekField.decodeStatus1, .decodeStatus2, .decodeStatus3].allSatisfy { byte($0) <= 1 }
            && byte(.cardStatus) <= 1
    }

    /// A field's bytes; nil where reports of this layout do not have it.
    subscript(field: MagTekField) -> ArraySlice<UInt8>? {
        guard let range = layout[field], range.upperBound <= bytes.count else { return nil }
        return bytes[range]
    }

    /// A field of one byte; 0 where there is none.
    package func byte(_ field: MagTekField) -> Int { self[field]?.first.map(Int.init) ?? 0 }

    /// The first `length` bytes of a field; nil where it has fewer.
    func prefix(_ field: MagTekField, length: Int) -> ArraySlice<UInt8>? {
        guard let data = self[field], length <= data.count else { return nil }
        return data.prefix(length)
    }

    /// Nil from a reader that cannot encrypt.
    var encryptionStatus: MagTekEncryptionStatus? {
        self[.encryptionStatus].map { MagTekEncryptionStatus(rawValue: UInt16(Self.bigEndian($0) & 0xFFFF)) }
    }

    /// Low byte first: bytes A1 05 00 00 are 0x000005A1.
    var magnePrintStatus: UInt32 {
        UInt32(truncatingIfNeeded: Self.bigEndian((self[.magnePrintStatus] ?? []).reversed()))
    }

    /// Transactions that are left; nil where the reader does not count or does not say.
    var counter: Int? {
        guard let field = self[.counter] else { return nil }
        let value = Self.bigEndian(field)
        return value == Self.unlimited ? nil : value
    }

    /// The reader's serial number; nil where it is empty or no text, or the card's digits are in it.
    package var serial: String? { self[.serial].flatMap { MagTekText.serial($0, besides: sentTracks) } }

    /// The tracks in every place that they have.
    var sentTracks: SentTracks {
        SentTracks(
            MagTekTrackFields.all.flatMap { [self[$0.masked], self[$0.data]] }
                .compactMap { $0.map(Array.init) })
    }

    private static let unlimited = 0xFFFFFF

    private static func bigEndian(_ bytes: some Sequence<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Text fields of MagTek readers.
enum MagTekText {
    /// Printable ASCII up to the first NUL; nil where that is nothing or something else.
    static func ended(_ field: some Collection<UInt8>) -> String? {
        let text = field.prefix { $0 != 0 }
        guard !text.isEmpty, text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// A serial number: ``ended(_:)`` in the characters that makers number their readers with. What has a track's sentinels or
    /// separators in it is a card's text in a serial number's place, and everybody who sees a reader sees its serial number.
    static func serial(_ field: some Collection<UInt8>) -> String? {
        guard let text = ended(field), text.utf8.count <= longestSerial, text.utf8.allSatisfy(isOfSerial),
            !isOfCard(text.utf8)
        else { return nil }
        return text
    }

    /// A serial number that a swipe's report brings: none where it has the digits of its tracks, which are looked at where there is
    /// one.
    static func serial(
        _ field: some Collection<UInt8>, besides tracks: @autoclosure () -> SentTracks
    ) -> String? {
        guard let serial = serial(field), !tracks().share(digitsOf: serial.utf8) else { return nil }
        return serial
    }

    /// Whether digits and signs without a letter are as many as a payment card's number has, and begin as such numbers do.
    private static func isOfCard(_ text: some Collection<UInt8>) -> Bool {
        let digits = text.filter(isDigit)
        guard let first = digits.first, !text.contains(where: isLetter) else { return false }
        return (12...19).contains(digits.count) && (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(first)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & ~0x20)
    }

    /// A report has room for 16 bytes with the last one 0 (99875475), ID TECH's readers for 10.
    private static let longestSerial = 16

    private static func isOfSerial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        case _: false
        }
    }
}
