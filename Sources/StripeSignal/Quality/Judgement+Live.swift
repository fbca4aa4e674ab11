package import CardData

extension Judgement {
    /// By the figures that a daemon tells of each swipe: fewer than a recording has, and of other readers than heads none.
    ///
    /// - Parameter isRead: whether a text came out.
    package init(_ quality: SwipeQuality, isRead: Bool) {
        var report = CardReport()
        report.clipped = quality.isClipped ? quality.clippedPercent : nil
        report.noise = quality.signalToNoiseDecibels
        report.speed = quality.speed.map { CardReport.Speed(mean: $0, slowest: $0, fastest: $0) }
        let measured = Judgement(report, isRead: isRead)
        guard measured.causes.isEmpty, let hint = quality.hint else {
            self = measured
            return
        }
        self =
            switch hint {
            case .tooSlow: Judgement([.hand], "the card went too slowly")
            case .tooFast: Judgement([.hand], "the card went too fast")
            case .partial: Judgement([.hand], "only a part of the card passed the head")
            case .noisy: Judgement([.head], "the signal was disturbed")
            }
    }
}
