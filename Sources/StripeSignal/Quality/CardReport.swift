import CardData

/// How a card's track and the way it passed the head measure, in the terms of testers for ISO/IEC 7811.
///
/// No figure depends on the data beyond what is said of it, so that none tells a hidden digit (`docs/card-data.md`). Each is rounded
/// here, where nothing finer leaves.
package struct CardReport: Sendable, Hashable {
    /// Deviations from the local mean, in percent of the nominal length.
    package struct Variation: Sendable, Hashable {
        package var mean: Double
        package var worst: Double
    }

    /// Centimetres a second: over the whole record, and of its slowest and fastest five millimetres.
    package struct Speed: Sendable, Hashable {
        package var mean: Double
        package var slowest: Double
        package var fastest: Double
    }

    /// Of the clocking zeros' cells.
    package var cells: Variation?
    /// Of the half cells of the start sentinel's ones.
    package var halfCells: Variation?
    /// The clocking zeros' mean pulse, in decibels of full scale.
    package var level: Double?
    /// Percent of that pulse, at equal speed, in the weakest stretch of five millimetres: a multiple of 10, and no more than
    /// ``strongEnough``.
    package var weakest: Double?
    /// Millimetres of clocking zeros before the start sentinel.
    package var startSentinel: Double?
    package var speed: Speed?
    /// Percent of the loud samples that were cut off: under 5 a whole number, from there on a multiple of 5.
    package var clipped: Double?
    /// The clocking zeros' power over the noise's, in whole decibels.
    package var noise: Double?
    /// The outline of the sound: ten heights in percent of the highest, multiples of 20. Of any card of which a track was read and that passed in a second and a half.
    package var outline: [Int]?

    /// Whether the text was put together from several stretches, of which nothing is measured.
    package private(set) var isJoined = false
    /// Whether there were clocking zeros to measure.
    package private(set) var isMeasured = false

    /// Nothing is known, and why that is so is not either.
    init() { isMeasured = true }

    /// What is stronger than this may be so because of what is recorded there.
    package static let strongEnough = 80.0
    private static let fullScale = 32767.0

    /// - Parameter formats: those that the swipe was read with. Lengths and speeds are told where one was found, by its density.
    package init(_ swipe: StripeSwipe, sampleRate: Int, formats: [StripeFormat] = StripeFormat.standard) {
        clipped = swipe.quality.clippedPercent.map(Self.coarse)
        // What passed the head twice would weigh twice, and tell where it stands.
        isJoined = swipe.quality.isJoined
        guard !isJoined else { return }
        // A piece of a card is too short a stretch of it.
        if swipe.tracks.contains(where: { $0.text != nil }) {
            outline = swipe.trace.flatMap { PassageOutline.of($0.heard, sampleRate: sampleRate) }
        }
        guard let places = RecordPlaces(swipe), let trace = swipe.trace else { return }
        let measures = ZeroMeasures(
            places: places, heard: trace.heard, firstSample: Double(swipe.startSample))
        isMeasured = !places.measured.isEmpty
        cells = measures.cellVariation?.rounded
        halfCells = measures.halfVariation(trace.reversals)?.rounded
        if let height = measures.height {
            let ratio = height / Self.fullScale
            level = Logarithm.decibels(ratio * ratio).map { Self.rounded($0, to: 0.1) }
        }
        if let power = measures.power, trace.noisePower > 0 {
            let ratio = power / Double(trace.noisePower) - 1
            noise = Logarithm.decibels(ratio).map { Self.rounded($0, to: 1) }
        }
        let reading = swipe.tracks.first { $0.text != nil }
        let format = formats.first { $0.coding.name == reading?.format && $0.track == reading?.track }
        let passage = Passage(places: places, bitsPerInch: format?.bitsPerInch, sampleRate: sampleRate)
        weakest = measures.weakest(passage.windows).map {
            min(Self.strongEnough, Self.rounded($0, to: 10))
        }
        startSentinel = passage.startSentinel.map { Self.rounded($0, to: 0.1) }
        speed = passage.speed
    }

    /// Rounding to a multiple of a step that divides one.
    static func rounded(_ value: Double, to step: Double) -> Double {
        guard value.isFinite else { return 0 }
        return step < 1 ? (value / step).rounded() / (1 / step).rounded() : (value / step).rounded() * step
    }

    private static func coarse(_ percent: Double) -> Double { rounded(percent, to: percent < 5 ? 1 : 5) }
}

extension CardReport.Variation {
    /// - Parameter deviations: as fractions.
    init?(_ deviations: [Double]) {
        guard let worst = deviations.max() else { return nil }
        mean = 100 * deviations.reduce(0, +) / Double(deviations.count)
        self.worst = 100 * worst
    }

    var rounded: Self {
        var result = self
        result.mean = CardReport.rounded(mean, to: 0.1)
        result.worst = CardReport.rounded(worst, to: 0.1)
        return result
    }
}
