import CardData

/// Which way a swipe's runs of bits are to be read, where no text tells: a card passes the head one way only, clocking
/// zeros come first, then a start sentinel and characters that keep to their parity, and the records of one card mostly
/// begin alike.
struct RunDirection: Sendable {
    var formats: [StripeFormat]

    private static let leadingZeros = 10
    /// log2 of how unlikely chance makes what speaks for a direction; and by how much it must lead the other.
    private static let leastEvidence = 8
    private static let leastLead = 4
    /// Characters after the sentinel that are looked at.
    private static let mostCharacters = 8
    /// Beginnings are compared up to here.
    private static let mostShared = 64
    /// Runs that are compared with each other: a card has few records, noise has many.
    private static let mostRuns = 8

    /// Nil where neither way looks more like the beginning of a record.
    func direction(of runs: [[UInt8]]) -> SwipeDirection? {
        let longest = Array(runs.sorted { $0.count > $1.count }.prefix(Self.mostRuns))
        let forward = evidence(longest)
        let backward = evidence(longest.map { $0.reversed() })
        guard max(forward, backward) >= Self.leastEvidence, abs(forward - backward) >= Self.leastLead else {
            return nil
        }
        return forward > backward ? .forward : .backward
    }

    private func evidence(_ runs: [[UInt8]]) -> Int {
        var shared = 0
        let beginnings = runs.map { $0.drop { $0 == 0 } }
        for (index, one) in beginnings.enumerated() {
            for other in beginnings[..<index] { shared = max(shared, Self.shared(one, other)) }
        }
        return runs.reduce(shared) { $0 + opening($1) }
    }

    /// Bits after the first one that two beginnings have in common.
    private static func shared(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
        let equal = zip(one, other).prefix(mostShared).prefix { $0 == $1 }.count
        return max(equal - 1, 0)
    }

    /// What a run's beginning says: the sentinel's bits after its first one, and one for each parity bit.
    private func opening(_ bits: [UInt8]) -> Int {
        let zeros = bits.prefix { $0 == 0 }.count
        guard zeros >= Self.leadingZeros else { return 0 }
        return formats.reduce(0) { max($0, opening(bits[zeros...], $1.coding)) }
    }

    private func opening(_ bits: ArraySlice<UInt8>, _ coding: TrackFormat) -> Int {
        guard let sentinel = coding.pattern(of: coding.startSentinel),
            let one = sentinel.firstIndex(of: 1), bits.starts(with: sentinel[one...])
        else { return 0 }
        let first = bits.startIndex + sentinel.count - one
        var evidence = sentinel.count - one - 1
        guard coding.parity != .none else { return evidence }
        let wanted = coding.parity == .odd ? 1 : 0
        for number in 0..<Self.mostCharacters {
            let start = first + number * coding.bitsPerCharacter
            guard start + coding.bitsPerCharacter <= bits.endIndex else { break }
            let ones = bits[start..<start + coding.bitsPerCharacter].reduce(0) { $0 + Int($1) }
            guard ones & 1 == wanted, ones > 0 else { break }
            evidence += 1
        }
        return evidence
    }
}
