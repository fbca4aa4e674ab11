/// How far the bits of a run are to be relied on.
extension IntervalClock.Run {
    /// How sure each bit is: how much further its reversals are from where the other value would have them.
    var reliability: [Float] {
        let deviation = max(jitter, 0.035)
        let scale = 0.25 / (deviation * deviation)
        return bits.indices.map { index in
            let before = index > 0 ? edges[index] - edges[index - 1] : edges[index + 1] - edges[index]
            let after = index + 2 < edges.count ? edges[index + 2] - edges[index + 1] : before
            let ratio =
                (edges[index + 1] - edges[index]) / max((before + after) / 2, .leastNormalMagnitude)
            let distance: Double
            if bits[index] == 0 {
                distance = min(ratio - 0.72, 1.5 - ratio)
            } else {
                let half = index < middles.count ? Double(abs(middles[index] - 0.5)) : 0
                distance = min(0.25 - half * ratio, ratio - 0.72, 1.5 - ratio)
            }
            return isNearCrowd(index) ? 0.1 : Float(min(max(distance * scale, 0.1), 40))
        }
    }

    /// How far each bit leads, where that was weighed. Round a crowded cell no bit leads further than another: what the pulses are
    /// is one choice, of which the best other reading may have been given up.
    var sharedLeads: [Float] {
        guard isCrowded.count == leads.count else { return leads }
        let strayed = strayed
        return leads.indices.map { index in
            let near = max(index - 1, 0)...min(index + 1, leads.count - 1)
            if near.contains(where: strayed.contains) { return min(leads[index], 0.1) }
            return near.filter { isCrowded[$0] }.reduce(leads[index]) { min($0, leads[$1]) }
        }
    }

    /// Ones whose middle is far out of its place, in a run whose others are in theirs: it may be none of the card's.
    private var strayed: Set<Int> {
        let ways = zip(bits, middles).map { $0 == 1 ? Double(abs($1 - 0.5)) : 0 }
        let usual = zip(bits, ways).filter { $0.0 == 1 }.map(\.1).sorted()
        guard !usual.isEmpty else { return [] }
        let most = max(9 * usual[usual.count / 2], 0.2)
        return Set(ways.indices.filter { ways[$0] > most })
    }

    /// Which of the pulses in such a cell are the bit's is a choice, and of an edge between two cells as well.
    private func isNearCrowd(_ index: Int) -> Bool {
        !isCrowded.isEmpty
            && isCrowded[max(index - 1, 0)...min(index + 1, isCrowded.count - 1)].contains(true)
    }

    /// Standard deviation of the cells against their neighbours' mean, as a fraction of a cell.
    var jitter: Double {
        guard edges.count > 6 else { return 0 }
        var squares = 0.0
        for index in 1..<(edges.count - 2) {
            let cell = edges[index + 1] - edges[index]
            let around = (edges[index + 2] - edges[index - 1]) / 3
            let deviation = (cell - around) / max(around, .leastNormalMagnitude)
            squares += deviation * deviation
        }
        // The mean of three holds a third of the cell itself.
        return (squares / Double(edges.count - 3)).squareRoot() * 1.22
    }
}
