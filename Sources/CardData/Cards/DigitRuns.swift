/// The digits of a piece of a track, the signs among them left out.
typealias DigitsOfTrack = LazyFilterSequence<ArraySlice<UInt8>>

extension DigitsOfTrack {
    init(_ bytes: ArraySlice<UInt8>) { self = bytes.lazy.filter(\.isDigit) }
}

/// Runs of so many digits in a row, each as a number.
struct DigitRuns {
    let length: Int
    private var values: [Int] = []

    /// - Parameter length: 15 at most.
    init(of length: Int) { self.length = length }

    var isEmpty: Bool { values.isEmpty }

    /// What is there already is not added again: most tracks of a card have the same.
    mutating func add(_ digits: DigitsOfTrack) {
        var window = DigitWindow(length)
        for digit in digits {
            let value = window.next(digit)
            guard window.isFull, !values.contains(value) else { continue }
            if values.isEmpty { values.reserveCapacity(Self.usual) }
            values.append(value)
        }
    }

    func contains(_ value: Int) -> Bool { values.contains(value) }

    /// As many as two tracks have that agree.
    private static let usual = 8
}

/// The last so many digits, as a number with four bits for each: no division for each digit of a card.
struct DigitWindow {
    private let length: Int
    private let mask: Int
    private var (value, count) = (0, 0)

    /// - Parameter length: 15 at most.
    init(_ length: Int) {
        self.length = length
        mask = 1 << (4 * length) - 1
    }

    /// Whether there are so many.
    var isFull: Bool { count >= length }

    mutating func next(_ digit: UInt8) -> Int {
        value = (value << 4 | Int(digit - UInt8(ascii: "0"))) & mask
        count += 1
        return value
    }
}
