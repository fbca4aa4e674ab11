/// How the card passed the head, by lengths that a hundred reversals and more share.
struct Passage {
    var places: RecordPlaces
    /// Of the format that was found; a speed cannot be told without it.
    var bitsPerInch: Double?
    var sampleRate: Int

    private static let millimetresPerInch = 25.4
    private static let windowMillimetres = 5.0
    /// Five millimetres of track 2, where no format was found.
    private static let windowCells = 15
    private static let speedStep = 0.5

    /// From the clocking zeros to the end sentinel, or all that was heard.
    private var whole: Range<Int> {
        let end = places.record?.upperBound ?? places.bits.count
        return min(places.leadIn.lowerBound, end)..<end
    }

    /// Stretches of the card, each half over the one before.
    var windows: [Range<Int>] {
        let cells = bitsPerInch.map { Int(Self.windowMillimetres / Self.millimetresPerInch * $0) }
        let length = max(cells ?? Self.windowCells, 2)
        return stride(from: whole.lowerBound, through: whole.upperBound - length, by: length / 2).map {
            $0..<$0 + length
        }
    }

    var startSentinel: Double? {
        guard let bitsPerInch, places.isDirectionKnown, !places.leadIn.isEmpty else { return nil }
        return Double(places.leadIn.count) * Self.millimetresPerInch / bitsPerInch
    }

    var speed: CardReport.Speed? {
        guard let bitsPerInch, whole.count > 1 else { return nil }
        func speed(_ cells: Range<Int>) -> Double {
            let seconds = places.meanCell(cells) / Double(sampleRate)
            return Self.millimetresPerInch / bitsPerInch / 10 / max(seconds, .leastNormalMagnitude)
        }
        let speeds = windows.map(speed)
        let mean = speed(whole)
        return CardReport.Speed(
            mean: CardReport.rounded(mean, to: 0.1),
            slowest: CardReport.rounded(speeds.min() ?? mean, to: Self.speedStep),
            fastest: CardReport.rounded(speeds.max() ?? mean, to: Self.speedStep))
    }
}
