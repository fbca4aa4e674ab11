/// Bits that two passes have in common:
///
///     first     0 0 0 1 1 0 1 0 0 1 0 1 1 0 x x
///     second        0 1 1 0 1 0 0 1 0 1 1 0 1 0 0 1
///                   '---- in common ----'
struct CommonStretch: Sendable {
    /// Which run of each pass.
    let runs: [Int]
    /// Where in each of the two.
    private(set) var places: [Range<Int>]

    var count: Int { places[0].count }

    private static let least = 24
    /// Moved by some bits, a stretch differs from itself in so many places: a row of one character would not tell how many of it
    /// there are.
    private static let leastOwn = 3
    private static let mostMoved = 24

    /// The longest one of two runs; nil where there is none that tells its place.
    init?(_ first: PassBits, _ second: PassBits, runs: [Int]) {
        guard min(first.bits.count, second.bits.count) >= Self.least else { return nil }
        var longest = 0
        var ends = [0, 0]
        var lengths = [Int](repeating: 0, count: second.bits.count + 1)
        for (row, bit) in first.bits.enumerated() {
            // From the end, where the lengths of the row before still stand.
            for column in stride(from: second.bits.count, through: 1, by: -1) {
                lengths[column] = second.bits[column - 1] == bit ? lengths[column - 1] + 1 : 0
                if lengths[column] > longest { (longest, ends) = (lengths[column], [row + 1, column]) }
            }
        }
        self.runs = runs
        places = ends.map { $0 - longest..<$0 }
        guard longest >= Self.least, Self.tellsItsPlace(first.bits[places[0]]) else { return nil }
    }

    private static func tellsItsPlace(_ bits: ArraySlice<UInt8>) -> Bool {
        (1...min(mostMoved, bits.count / 2)).allSatisfy { shift in
            let different = zip(bits, bits.dropFirst(shift)).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
            return different >= leastOwn
        }
    }

    /// Whether it lies further on the card than another one, by both passes.
    func follows(_ other: CommonStretch) -> Bool {
        [0, 1].allSatisfy { pass in
            let (one, two) = (other.places[pass], places[pass])
            return other.runs[pass] < runs[pass]
                || other.runs[pass] == runs[pass] && one.lowerBound <= two.lowerBound
                    && one.upperBound <= two.upperBound
        }
    }

    /// Without its first bits.
    func dropping(_ count: Int) -> CommonStretch? {
        guard count < self.count else { return nil }
        var rest = self
        rest.places = places.map { $0.lowerBound + count..<$0.upperBound }
        return rest
    }
}
