package import CardData

/// A report's tracks as they were sent, to look whether a field that is no card's has a card's digits in it all the same. A reader
/// that lies, or a report that was made up, has them where everybody sees them: in a serial number, in a key's.
package struct SentTracks: Sendable {
    private var runs = DigitRuns()

    /// - Parameter tracks: the texts, masked or not, and what should be ciphertext.
    package init(_ tracks: [[UInt8]]) {
        for track in tracks {
            DigitRuns.each(in: track) { runs.insert($0) }
            DigitRuns.each(in: Self.unpacked(track)) { runs.insert($0) }
        }
    }

    /// Whether five digits in a row of a text, its signs left out, are a track's.
    package func share(digitsOf text: some Collection<UInt8>) -> Bool {
        has(anyOf: text.filter { DigitRuns.digit($0) != nil })
    }

    /// Whether five digits in a row of bytes are a track's, as characters or packed two in a byte.
    package func share(digitsOfBytes bytes: [UInt8]) -> Bool {
        share(digitsOf: bytes) || has(anyOf: Self.unpacked(bytes))
    }

    private func has(anyOf text: [UInt8]) -> Bool {
        var isThere = false
        DigitRuns.each(in: text) { isThere = isThere || runs.contains($0) }
        return isThere
    }

    private static func character(_ half: UInt8) -> UInt8 { half < 10 ? half + UInt8(ascii: "0") : 0 }

    private static func unpacked(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count * 2) { digits, count in
            for byte in bytes {
                digits.initializeElement(at: count, to: character(byte >> 4))
                digits.initializeElement(at: count + 1, to: character(byte & 15))
                count += 2
            }
        }
    }
}

/// Five digits in a row, each run as a number. So many are told from chance (docs/card-data.md).
///
/// One bit for each: a report has a thousand runs, of each of which a set of numbers would make a hash.
private struct DigitRuns {
    private var bits = [UInt64](repeating: 0, count: mostValue / UInt64.bitWidth + 1)

    private static let length = 5
    private static let mostValue = 100_000
    /// With so many zeros among them they are padding.
    private static let zerosOfPadding = 3

    mutating func insert(_ value: Int) { bits[value / UInt64.bitWidth] |= 1 << (value % UInt64.bitWidth) }

    func contains(_ value: Int) -> Bool {
        bits[value / UInt64.bitWidth] >> (value % UInt64.bitWidth) & 1 == 1
    }

    /// Calls with each run of a text, padding left out.
    static func each(in text: [UInt8], _ body: (Int) -> Void) {
        var (value, count) = (0, 0)
        for byte in text {
            guard let digit = digit(byte) else {
                count = 0
                continue
            }
            value = (value * 10 + digit) % mostValue
            count += 1
            if count >= length, zeros(value) < zerosOfPadding { body(value) }
        }
    }

    static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }

    private static func zeros(_ value: Int) -> Int {
        var (rest, zeros) = (value, 0)
        for _ in 0..<length {
            if rest % 10 == 0 { zeros += 1 }
            rest /= 10
        }
        return zeros
    }
}

extension SwipeEncryption {
    /// Notes whether what the reader says of its key has digits of the report's tracks.
    package mutating func compare(with tracks: SentTracks) {
        isOfCard =
            tracks.share(digitsOfBytes: keySerialNumber)
            || counter.map { tracks.share(digitsOf: String($0).utf8) } ?? false
    }
}
