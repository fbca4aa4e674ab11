import CardData
import ReaderKit
import Testing

@testable import Captures
@testable import HIDReaders

/// Reports of which the size does not tell the layout: 338 bytes are an insert reader's, or another's with its id in front.
@Suite struct ReportLayoutTests {
    private static let texts = [
        "%B4111111111111111^DOE/JOHN^25121010000000000000?", ";4111111111111111=25121010000000000000?",
        ";014111111111111111=2512?",
    ].map { Array($0.utf8) }

    /// What a track came to: the reader could not decode it, the card has none, or it was read.
    enum Content: CaseIterable, Sendable { case refused, empty, read }

    struct Row: Sendable, CustomTestStringConvertible {
        var tracks: [Content]
        var encodeType: UInt8
        /// 337 bytes, or one more with the card's status in it.
        var cardStatus: UInt8?
        var id: UInt8?

        var bytes: [UInt8] {
            var report = [UInt8](repeating: 0, count: 337)
            for (index, content) in tracks.enumerated() {
                report[index] = content == .refused ? 1 : 0
                guard content == .read else { continue }
                report[3 + index] = UInt8(ReportLayoutTests.texts[index].count)
                let start = 7 + 110 * index
                report.replaceSubrange(
                    start..<start + ReportLayoutTests.texts[index].count, with: ReportLayoutTests.texts[index]
                )
            }
            report[6] = encodeType
            return (id.map { [$0] } ?? []) + report + (cardStatus.map { [$0] } ?? [])
        }

        var hasRead: Bool { tracks.contains(.read) }
        var testDescription: String { "\(tracks) \(encodeType) \(cardStatus ?? 9) \(id ?? 9)" }
    }

    /// Statuses, tracks, ids and card statuses; a card of which nothing was decoded has type 0 or 5.
    static let rows: [Row] = {
        let contents = Content.allCases.flatMap { first in
            Content.allCases.flatMap { second in Content.allCases.map { [first, second, $0] } }
        }
        return contents.flatMap { tracks in
            (tracks.contains(.read) ? [0] : [0, 5]).flatMap { encodeType in
                [nil, 0, 1].flatMap { cardStatus in
                    [nil, 0, 1].map {
                        Row(tracks: tracks, encodeType: encodeType, cardStatus: cardStatus, id: $0)
                    }
                }
            }
        }
    }()

    private static func contents(_ swipe: Swipe) -> [Content] {
        swipe.tracks.map { $0.isRead ? .read : $0.outcome == .empty ? .empty : .refused }
    }

    /// What was read is told as it is, and no row tells of another track than the one that failed. Only where nothing was read, and
    /// a report of 338 bytes says one thing and one of 337 with its id another, is neither told.
    @Test func everyStatusWithEveryTrack() {
        var unclear = 0
        for row in Self.rows {
            let outcomes = HIDCapture.outcomes(in: row.bytes)
            #expect(outcomes.count == 1)
            switch outcomes.first {
            case .success(let found): #expect(Self.contents(found.swipe) == row.tracks, "\(row)")
            case .failure(.twoLayouts(let readings)):
                unclear += 1
                #expect(readings.count == 2 && !row.hasRead && row.bytes.count == 338, "\(row)")
            case .failure(let refusal): Issue.record("\(row): \(refusal.sentence)")
            case nil: Issue.record("\(row)")
            }
        }
        #expect(Self.rows.count == 315 && unclear == 28)
    }

    /// The report beside one that was read is of the same layout.
    @Test(arguments: [0, 1] as [UInt8]) func aReadReportTellsTheLayoutOfOthers(cardStatus: UInt8) {
        let bad = Row(tracks: [.refused, .refused, .refused], encodeType: 0, cardStatus: cardStatus)
        let good = Row(tracks: [.refused, .read, .refused], encodeType: 0, cardStatus: cardStatus)
        #expect(FoundCaptures.found(bad.bytes).isEmpty)
        let found = FoundCaptures.found(bad.bytes + good.bytes)
        #expect(found.map { Self.contents($0.swipe) } == [bad.tracks, good.tracks])
    }

    @Test func bothLayoutsAreNamed() throws {
        let row = Row(tracks: [.refused, .refused, .refused], encodeType: 0, cardStatus: 0)
        guard case .failure(let refusal)? = HIDCapture.outcomes(in: row.bytes).first else {
            Issue.record("a swipe")
            return
        }
        #expect(refusal.sentence.contains("of an insert reader (track 1 refused, 2 refused, 3 refused)"))
        #expect(refusal.sentence.contains("with its id in front (track 1 refused, 2 refused, 3 empty)"))
    }
}
