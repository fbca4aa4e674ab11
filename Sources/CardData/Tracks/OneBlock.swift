extension Collection {
    /// Those that are wanted, in one block of memory.
    ///
    /// `filter` takes a larger block again and again, and each one that it leaves is wiped: of ten digits that is more work than
    /// everything else that a swipe needs of them.
    func picked(_ isWanted: (Element) -> Bool) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(count)
        for element in self where isWanted(element) { result.append(element) }
        return result
    }

    /// What becomes of those of which something becomes, in one block of memory as well.
    func made<Made>(_ make: (Element) -> Made?) -> [Made] {
        var result: [Made] = []
        result.reserveCapacity(count)
        for element in self { if let made = make(element) { result.append(made) } }
        return result
    }
}

extension Collection<UInt8> {
    /// The number that these ASCII digits make; nil where one is no digit, or where there are more than an `Int` has room for.
    var number: Int? {
        var value = 0
        for digit in self {
            guard digit.isDigit, value < Int.max / 10 else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }
}

extension String {
    /// Text of so many bytes, written in place: no array goes before it.
    init(count: Int, byte: (Int) -> UInt8) {
        self.init(unsafeUninitializedCapacity: count) { bytes in
            for place in 0..<count { bytes.initializeElement(at: place, to: byte(place)) }
            return count
        }
    }
}

extension UInt8 {
    /// An ASCII digit.
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
