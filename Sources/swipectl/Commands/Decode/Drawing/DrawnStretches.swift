import CardData
import StripeSignal

/// Where a picture may draw the waveform, its reversals, the cells and the card's speed: everywhere, or, while card data is hidden,
/// only what passed the head before the first hidden character.
///
/// What comes later tells of what came before: a pulse reaches into its neighbours, and the sound input's filter remembers. So of
/// a text that was read, the clocking zeros in front of it and its first characters are drawn, up to two characters before the
/// first hidden one. Of a backward swipe these are the zeros alone, for the LRC, which tells the others, comes first. Of a swipe that
/// was not read nothing is drawn: who reads better may find characters anywhere in it. Nor of one that was put together: hidden
/// characters may have passed the head before the first ones did for the last time.
struct DrawnStretches {
    /// Whether nothing is hidden.
    let areAll: Bool
    private let open: ClosedRange<Double>?
    private let start: Double
    private let meanCell: Double
    /// Of a backward swipe, and fewer than the decoder keeps in front of a record: it counts these from the first bit that is one, which is
    /// where the LRC's zeros end, and so their number would tell of the LRC.
    private static let mostZeros = 28

    /// Everything.
    static let all = DrawnStretches()

    private init() { (areAll, open, start, meanCell) = (true, nil, 0, 1) }

    /// - Parameters:
    ///   - characters: where those of the text that was read lie, in the order of reading.
    ///   - masked: the text as everybody may see it; nil where none was read.
    ///   - meanCell: of all cells together.
    init(_ part: StripeSwipe, characters: [ClosedRange<Double>], masked: String?, meanCell: Double) {
        let codes = Array((masked ?? "").utf8)
        areAll = false
        self.meanCell = meanCell
        start = Double(part.startSample)
        guard !part.quality.isJoined, let first = characters.first, let last = characters.last,
            codes.count == characters.count,
            let widest = characters.map({ $0.upperBound - $0.lowerBound }).max()
        else {
            open = nil
            return
        }
        let hidden = codes.firstIndex(of: UInt8(ascii: "*")) ?? codes.count
        let isBackward = last.lowerBound < first.lowerBound
        // The LRC, and more than a character.
        let textStart = isBackward ? last.lowerBound - 2.5 * widest : first.lowerBound
        let most = isBackward ? Self.mostZeros : .max
        guard let start = Self.clockStart(part.bitRuns, before: textStart, most: most) else {
            open = nil
            return
        }
        let end = isBackward || hidden < 3 ? start.upperBound : characters[hidden - 3].upperBound
        open = start.lowerBound < end ? start.lowerBound...end : nil
    }

    /// The zeros that run up to a place, the last ones of them.
    private static func clockStart(
        _ runs: [BitRun], before place: Double, most: Int
    ) -> ClosedRange<Double>? {
        guard let run = runs.last(where: { $0.cellEdges.first.map { $0 <= place } ?? false }) else {
            return nil
        }
        let bits = run.direction == .backward ? run.bits.reversed() : run.bits
        guard let edge = run.cellEdges.lastIndex(where: { $0 <= place }), edge <= bits.count else {
            return nil
        }
        let zeros = min(bits[..<edge].reversed().prefix { $0 == 0 }.count, most)
        let range = (run.cellEdges[edge - zeros], run.cellEdges[edge])
        return range.0 <= range.1 ? range.0...range.1 : nil
    }

    /// Where a place is drawn: among what is hidden to a whole cell, since reversals crowd each other, and a fraction of a cell tells
    /// which bits stand next to it.
    func place(_ place: Double) -> Double {
        guard !areAll, open?.contains(place) != true else { return place }
        return start + ((place - start) / meanCell).rounded() * meanCell
    }

    /// A range between two such places.
    func place(_ range: ClosedRange<Double>) -> ClosedRange<Double> {
        place(range.lowerBound)...max(place(range.upperBound), place(range.lowerBound))
    }

    /// Whether all of a range may be drawn.
    func contains(_ range: ClosedRange<Double>) -> Bool {
        guard !areAll else { return true }
        return open.map { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound } ?? false
    }

    /// The piece of a range that may be drawn.
    func piece(of range: ClosedRange<Double>) -> ClosedRange<Double>? {
        guard !areAll else { return range }
        return open.flatMap { $0.overlaps(range) ? $0.clamped(to: range) : nil }
    }

    /// Where the clock was lost. Round a text that was read and is hidden nowhere: the clock begins at a place that depends on the LRC.
    func withoutClock(_ part: StripeSwipe, _ trace: StripeTrace) -> [ClosedRange<Double>] {
        guard areAll || part.textCells == nil else { return [] }
        return part.stretchesWithoutClock(trace).map(place)
    }

    /// The pieces of a range that may not.
    func hidden(in range: ClosedRange<Double>) -> [ClosedRange<Double>] {
        guard !areAll else { return [] }
        guard let drawn = piece(of: range) else { return [range] }
        return [range.lowerBound...drawn.lowerBound, drawn.upperBound...range.upperBound].filter {
            $0.lowerBound < $0.upperBound
        }
    }
}
