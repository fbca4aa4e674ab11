import CardData
import ReaderPackets

/// Which track each text of a report in clear is. Its sentinel does not tell: track 3 begins like track 2 or, on a licence,
/// like track 1, and a blank or failed track leaves nothing where it would stand. The header's lengths tell.
///
/// ASSUMPTION: whether a length counts the sentinels and the LRC character, which is not sent in clear, is nobody's word; it
/// is the same for all tracks of a report. A header without any length was not filled in: there the sentinels have to tell.
struct IDTechClearTracks: Sendable {
    /// By how much a length may differ from its text with sentinels: neither counted; the LRC alone; the sentinels alone; both.
    private static let differences = -2...1

    /// Whether the reader says that it could not decode the track.
    private let failed: [Bool]
    private let lengths: [Int]

    init(header: some Collection<UInt8>) {
        failed = header.prefix(3).map { $0 != 0 }
        lengths = header.dropFirst(3).prefix(3).map(Int.init)
    }

    /// - Parameter found: the texts, in the order in which they stand.
    func readings(of found: [TrackScan.Found]) throws(IDTechReport.Refusal) -> [TrackReading] {
        guard !found.isEmpty || failed.contains(true) || lengths.contains(where: { $0 > 0 }) else {
            throw .empty
        }
        let texts = lengths.contains { $0 > 0 } ? try byLength(found) : try bySentinel(found)
        return texts.indices.map { index in
            TrackReading(track: index + 1, outcome: outcome(texts[index], index))
        }
    }

    private func outcome(_ found: TrackScan.Found?, _ index: Int) -> TrackOutcome {
        guard !failed[index] else { return .refused(.malformed) }
        guard let found else { return .empty }
        return found.isErrorMark ? .refused(.malformed) : TrackTextCheck.outcome(found.text, track: index + 1)
    }

    private func byLength(_ found: [TrackScan.Found]) throws(IDTechReport.Refusal) -> [TrackScan.Found?] {
        var rest = found[...]
        var differences: Set<Int> = []
        var texts: [TrackScan.Found?] = [nil, nil, nil]
        for index in texts.indices {
            if failed[index] {
                texts[index] = isLeftByFailed(index, rest) ? rest.popFirst() : nil
            } else if lengths[index] > 0 {
                guard let text = rest.popFirst() else { throw .contradiction }
                texts[index] = text
                if !text.isErrorMark { differences.insert(lengths[index] - text.text.count) }
            }
        }
        guard rest.isEmpty, differences.count <= 1, differences.allSatisfy(Self.differences.contains) else {
            throw .contradiction
        }
        return texts
    }

    /// A track that failed leaves a mark, what was read of it, or nothing: what the tracks behind it do not need.
    private func isLeftByFailed(_ index: Int, _ rest: ArraySlice<TrackScan.Found>) -> Bool {
        let due = lengths.indices.count { $0 > index && lengths[$0] > 0 && !failed[$0] }
        return rest.first?.isErrorMark == true || lengths[index] > 0 && rest.count > due
    }

    private func bySentinel(_ found: [TrackScan.Found]) throws(IDTechReport.Refusal) -> [TrackScan.Found?] {
        var texts: [TrackScan.Found?] = [nil, nil, nil]
        var last = 0
        for text in found {
            // Tracks stand in their order: what begins like track 1 behind another one is a licence's track 3.
            let number = text.track > last ? text.track : 3
            guard number > last, !failed[number - 1] || text.isErrorMark else { throw .contradiction }
            texts[number - 1] = text
            last = number
        }
        return texts
    }
}
