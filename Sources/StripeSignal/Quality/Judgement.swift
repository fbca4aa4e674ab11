/// What a swipe's figures speak for: a judgement, not a measure.
///
/// One swipe cannot tell a card's density from the hand's speed, nor a worn stretch from a lifted card; swipes of one card in a row tell the
/// latter two apart.
package struct Judgement: Sendable, Hashable {
    package enum Cause: String, Sendable, Hashable, CaseIterable {
        case card, head, hand, gain
    }

    /// None where nothing measured is wrong.
    package var causes: [Cause]
    package var evidence: String

    private static let mostClipped = 1.0
    private static let faintLevel = -40.0
    private static let noisyDecibels = 12.0
    private static let weakPulse = 60.0
    private static let unevenCells = 8.0
    private static let slowest = 4.0
    private static let fastest = 150.0
    private static let unevenSpeed = 2.5

    init(_ causes: [Cause], _ evidence: String) {
        self.causes = causes
        self.evidence = evidence
    }

    /// The first of the known signs, those first that make others.
    ///
    /// - Parameter isRead: whether a text came out.
    package init(_ report: CardReport, isRead: Bool) {
        let signs = [
            Self.clipping(report), Self.faintness(report), Self.noise(report), Self.weakness(report),
            Self.speed(report), Self.unevenness(report),
        ]
        self = signs.lazy.compactMap { $0 }.first ?? Judgement([], Self.nothing(report, isRead: isRead))
    }

    /// Some cards, MetroCards among them, have data from one end to the other.
    private static func nothing(_ report: CardReport, isRead: Bool) -> String {
        guard !report.isJoined else {
            return "read, and put together from several stretches: these are not measured"
        }
        let unmeasured = "no clocking zeros were found, which is where a card is measured"
        guard report.isMeasured else {
            return isRead ? "read, but \(unmeasured)" : "not read, and \(unmeasured)"
        }
        return isRead ? "read, and no figure is out of the usual" : "not read, and no figure says why"
    }

    private static func clipping(_ report: CardReport) -> Judgement? {
        guard let clipped = report.clipped, clipped >= mostClipped else { return nil }
        return Judgement([.gain], "\(number(clipped)) % of the sound is cut off: lower the gain")
    }

    private static func faintness(_ report: CardReport) -> Judgement? {
        guard let level = report.level, level < faintLevel else { return nil }
        return Judgement([.gain], "the pulses are at \(number(level)) dB of full scale: raise the gain")
    }

    private static func noise(_ report: CardReport) -> Judgement? {
        guard let noise = report.noise, noise < noisyDecibels else { return nil }
        return Judgement(
            [.head], "the signal is \(number(noise)) dB over the noise: a dirty head, its cable or hum")
    }

    private static func weakness(_ report: CardReport) -> Judgement? {
        guard let weakest = report.weakest, weakest < weakPulse else { return nil }
        return Judgement(
            [.card, .hand],
            "a stretch has \(number(weakest)) % of the other pulses' height: worn there, or the card was lifted"
        )
    }

    private static func speed(_ report: CardReport) -> Judgement? {
        guard let speed = report.speed else { return nil }
        guard speed.mean < slowest || speed.mean > fastest || speed.fastest > unevenSpeed * speed.slowest
        else {
            return nil
        }
        return Judgement(
            [.hand], "the card went at \(number(speed.slowest)) to \(number(speed.fastest)) cm/s")
    }

    private static func unevenness(_ report: CardReport) -> Judgement? {
        guard let cells = report.cells, cells.mean >= unevenCells else { return nil }
        return Judgement(
            [.card, .head], "the cells differ by \(number(cells.mean)) % from each other at an even speed")
    }

    /// A figure without a decimal that is nought.
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }
}

extension Judgement {
    /// What several swipes speak for together, taken as swipes of one card on one reader.
    package init(_ swipes: [Judgement]) {
        guard let first = swipes.first, swipes.count > 1 else {
            self = swipes.first ?? Judgement([], "no swipe")
            return
        }
        let faulty = swipes.filter { !$0.causes.isEmpty }
        guard let worst = Self.commonest(faulty.map(\.causes)),
            let example = faulty.first(where: { $0.causes == worst })
        else {
            self = Judgement([], "\(first.evidence) (\(swipes.count) swipes)")
            return
        }
        let count = faulty.filter { $0.causes == worst }.count
        var causes = worst
        // What is in every swipe is on the card; what comes and goes is the hand's.
        if worst == [.card, .hand] { causes = count == swipes.count ? [.card] : [.hand] }
        self = Judgement(causes, "in \(count) of \(swipes.count) swipes: \(example.evidence)")
    }

    private static func commonest(_ causes: [[Cause]]) -> [Cause]? {
        causes.max { one, other in
            causes.filter { $0 == one }.count < causes.filter { $0 == other }.count
        }
    }

    /// One sentence for people.
    package var sentence: String {
        guard !causes.isEmpty else { return "Judgement: nothing to blame: \(evidence)." }
        return "Judgement: the \(causes.map(\.rawValue).joined(separator: " or ")), because \(evidence)."
    }
}
