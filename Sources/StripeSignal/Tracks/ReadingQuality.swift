import CardData

/// What a swipe's quality is computed from.
struct ReadingQuality: Sendable {
    var sampleRate: Int
    /// Power with the card under the head, and without.
    var signalPower: Float
    var noisePower: Float

    private static let millimetresPerInch = 25.4
    /// A cell of fewer samples has less than two for each of its halves: faster than anything is read at.
    private static let fewestSamples = 3.0
    /// Under this many cells a second a hand has stopped rather than swiped: 2 cm/s on track 2.
    private static let fewestCellsPerSecond = 60.0
    private static let noisyDecibels = 12.0
    /// Clocking zeros that stand at both ends of a whole swipe.
    private static let wholeZeros = 4
    /// Without a reversal for so long, with so many on both sides, the card has stood.
    private static let standingCells = 2.2
    private static let pulsesAround = 20

    func quality(of reading: SwipeReading) -> SwipeQuality {
        var quality = SwipeQuality()
        // The power of a stripe follows how many ones are on it: tenths of a decibel would tell two cards apart.
        quality.signalToNoiseDecibels = decibels.map { CardReport.rounded($0, to: 1) }
        guard let run = reading.cardRun else { return quality }
        let cell = reading.medianCell ?? 0
        quality.jitterPercent = run.jitter * 100
        if reading.track != nil, reading.join != nil {
            quality.isJoined = true
            (quality.signalToNoiseDecibels, quality.jitterPercent) = (nil, nil)
        }
        if let track = reading.track {
            quality.direction = track.isReversed ? .backward : .forward
            quality.repairedBits = track.repairedBits
            quality.speed = Self.speed(track.format, sampleRate, cell: cell)
        } else {
            quality.hint = hint(reading, cell: cell)
        }
        return quality
    }

    /// In centimetres a second.
    ///
    /// - Parameter cell: in samples.
    static func speed(_ format: StripeFormat, _ sampleRate: Int, cell: Double) -> Double? {
        let millimetres = millimetresPerInch / format.bitsPerInch
        return cell > 0 ? millimetres / 10 * Double(sampleRate) / cell : nil
    }

    private func hint(_ reading: SwipeReading, cell: Double) -> SwipeHint? {
        if cell > 0, cell < Self.fewestSamples { return .tooFast }
        if Double(sampleRate) < cell * Self.fewestCellsPerSecond { return .tooSlow }
        if let decibels, decibels < Self.noisyDecibels { return .noisy }
        if stands(reading.pulses, cell: cell) { return .partial }
        let first = reading.runs.first?.bits ?? []
        let last = reading.runs.last?.bits ?? []
        let isWhole =
            first.prefix(Self.wholeZeros).allSatisfy { $0 == 0 }
            && last.suffix(Self.wholeZeros).allSatisfy { $0 == 0 }
        return isWhole ? nil : .partial
    }

    /// Whether the card stood still in mid-swipe, or was pulled back, or the head left it: no reversal for some cells.
    private func stands(_ pulses: [FluxReversal], cell: Double) -> Bool {
        guard cell > 0, pulses.count > 2 * Self.pulsesAround else { return false }
        return (Self.pulsesAround..<pulses.count - Self.pulsesAround).contains { index in
            pulses[index].position - pulses[index - 1].position > Self.standingCells * cell
        }
    }

    private var decibels: Double? {
        guard noisePower > 0, signalPower > noisePower else { return nil }
        return Logarithm.decibels(Double(signalPower / noisePower - 1))
    }
}

/// Logarithms from the four operations: this target uses no C library.
enum Logarithm {
    /// Ten times the decimal logarithm; nil for what has none.
    static func decibels(_ ratio: Double) -> Double? {
        guard ratio > 0, ratio.isFinite else { return nil }
        let x = (ratio.significand - 1) / (ratio.significand + 1)
        let square = x * x
        var power = x
        var sum = 0.0
        for n in stride(from: 1.0, through: 13, by: 2) {
            sum += power / n
            power *= square
        }
        let natural = 2 * sum + Double(ratio.exponent) * 0.693147180559945
        return natural * 4.342944819032518
    }
}
