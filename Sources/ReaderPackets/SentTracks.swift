package import CardData

/// A report's tracks as they were sent, to look whether a field that is no card's has a card's digits in it all the same. A reader
/// that lies, or a report that was made up, has them where everybody sees them: in a serial number, in a key's.
package struct SentTracks: Sendable {
    private let runs: Set<Int>

    /// - Parameter tracks: the texts, masked or not, and what should be ciphertext.
    package init(_ tracks: [[UInt8]]) {
        runs = tracks.reduce(into: []) { runs, track in
            runs.formUnion(DigitRuns(of: track).values)
            runs.formUnion(DigitRuns(of: Self.unpacked(track)).values)
        }
    }

    /// Whether five digits in a row of a text, its signs left out, are a track's.
    package func share(digitsOf text: some Collection<UInt8>) -> Bool {
        !runs.isDisjoint(with: DigitRuns(of: text.filter { DigitRuns.digit($0) != nil }).values)
    }

    /// Whether five digits in a row of bytes are a track's, as characters or packed two in a byte.
    package func share(digitsOfBytes bytes: [UInt8]) -> Bool {
        share(digitsOf: bytes) || !runs.isDisjoint(with: DigitRuns(of: Self.unpacked(bytes)).values)
    }

    private static func unpacked(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { [$0 >> 4, $0 & 15] }.map { $0 < 10 ? $0 + UInt8(ascii: "0") : 0 }
    }
}

/// Five digits in a row, each run as a number. So many are told from chance (docs/card-data.md).
private struct DigitRuns {
    private(set) var values: Set<Int> = []

    private static let length = 5
    private static let mostValue = 100_000
    /// With so many zeros among them they are padding.
    private static let zerosOfPadding = 3

    init(of text: some Collection<UInt8>) {
        var (value, count) = (0, 0)
        for byte in text {
            guard let digit = Self.digit(byte) else {
                count = 0
                continue
            }
            value = (value * 10 + digit) % Self.mostValue
            count += 1
            if count >= Self.length, Self.zeros(value) < Self.zerosOfPadding { values.insert(value) }
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
