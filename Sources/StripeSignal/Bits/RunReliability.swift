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
            return isNearCrowd(index) ? Self.inDoubt : Float(min(max(distance * scale, 0.1), 40))
        }
    }

    /// What the leads are worth. In crowded cells, and those beside them, no bit leads further than another: which pulses are the card's
    /// is one choice for all of them, and the best other choice may not have been kept to the end for each bit.
    var sharedLeads: [Float] {
        guard isCrowded.count == leads.count else { return leads }
        var shared = leads
        var first = 0
        while let start = isCrowded[first...].firstIndex(of: true) {
            let end = isCrowded[start...].firstIndex(of: false) ?? isCrowded.endIndex
            let crowd = max(start - 1, 0)..<min(end + 1, leads.count)
            let least = leads[crowd].min() ?? 0
            for bit in crowd { shared[bit] = min(shared[bit], least) }
            first = end
        }
        for one in strayed {
            for bit in max(one - 1, 0)...min(one + 1, leads.count - 1) {
                shared[bit] = min(shared[bit], Self.inDoubt)
            }
        }
        return shared
    }

    private static let inDoubt: Float = 0.1
    /// In cells, and in parts of the usual distance: a one's middle that is farther from its place has strayed.
    private static let (leastStray, usualStrays) = (0.2, 9.0)

    /// Ones whose middle is far from its place while the others' are near theirs: it may be no reversal of the card.
    private var strayed: [Int] {
        let ones = bits.indices.filter { bits[$0] == 1 && middles.indices.contains($0) }
        let ways = ones.map { Double(abs(middles[$0] - 0.5)) }
        guard !ways.isEmpty else { return [] }
        let most = max(Self.usualStrays * ways.sorted()[ways.count / 2], Self.leastStray)
        return zip(ones, ways).filter { $0.1 > most }.map(\.0)
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
