import CardData
import ReaderKit
import ReaderTesting
import SwipeProtocol
import Testing

@testable import SwipeDaemon

/// `docs/card-data.md`, "What is shown", as a property: whatever a card holds and whichever reader reports it, no line for the views
/// `masked` and `status`, and no line of the log, holds five digits of a number in a row beyond its first six and last four.
@Suite struct MaskedLineTests {
    /// Each in some 35 forms; 8 seeds of 30 are over 7,000 reports.
    private static let cards = 30

    /// The whole line, as it goes to the socket.
    private static func line(_ swipe: Swipe, _ view: View) -> String {
        Event(
            sequence: 1, time: WallTime(microseconds: 0), monotonicNanoseconds: 0, reader: "reader",
            attachment: 1, body: .swipe(SwipeDisclosure.data(of: swipe, for: view))
        ).line().text
    }

    private static func logged(_ swipe: Swipe) -> String {
        let line = LogLine.of(.swipe(swipe))
        return line.message + " " + line.metadata.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    /// What lines have of their own, such as a reader's KSN: of a card without a digit, in every form.
    private static let ownRuns: Set<[UInt8]> = {
        let swipes = (try? HostileReports.swipes(of: ["%BADGE^DOE/JOHN^?", "", ""])) ?? []
        return Set(swipes.flatMap { HostileCard.runs(line($0.swipe, .masked).utf8) })
    }()

    @Test(arguments: [UInt64](0..<8)) func noRunOfDigits(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &+ 18)
        var forms: Set<String> = []
        var count = 0
        while count < Self.cards {
            guard let card = HostileCard(using: &random), card.secrets.isDisjoint(with: Self.ownRuns) else {
                continue
            }
            count += 1
            for (form, swipe) in try HostileReports.swipes(of: card.texts) {
                forms.insert(form)
                let lines = [Self.line(swipe, .masked), Self.line(swipe, .status), Self.logged(swipe)]
                for line in lines where !card.leaks(in: line).isEmpty {
                    Issue.record("\(form): \(card.deed): \(card.leaks(in: line)) in \(line)")
                    return
                }
            }
        }
        #expect(forms.count >= 30, "\(forms.sorted())")
    }

    /// What is not shown has no influence on the line: other digits in its place make the same one.
    @Test(arguments: [
        ("%B4761730000000011^DOE/JOHN^24122011143804400000?", ";4761730000000011=24122011303130600000?"),
        ("%B4761730000000011^4012888888881881^2412201114380?", ";4761730000000011=241220113031306?"),
        ("%B4761730000000011^DOE 40128888 1^2412201114380?", ""),
        ("%B4761730000000011^24122011143804400000^?", ""), ("%C4761730000000011^DOE^2412?", ";12345=67?"),
        ("\u{7F}a4761730000000011\u{7F}", ""),
    ]) func hiddenDigitsHaveNoInfluence(track1: String, track2: String) {
        let texts = [track1, track2, ""]
        let masked = MaskedSwipe(
            texts.enumerated().map { index, text in
                TrackReading(track: index + 1, outcome: text.isEmpty ? .empty : .read(SensitiveText(text)))
            }, card: nil
        ).texts
        var random = SeededGenerator(state: 7)
        let withoutLuhn = { (line: String) in line.replacing(/"luhn":(true|false),?/, with: "") }
        // The forms that a reader covered itself are of their own digits.
        let lines = { (texts: [String]) in
            HostileReports.uncovered(texts).map { withoutLuhn(Self.line($0.swipe, .masked)) }
        }
        let whole = lines(texts)
        #expect(whole.count == 2)
        for _ in 0..<50 {
            // Both tracks of a card have the same number: a digit goes to the same one everywhere.
            let digits = Array("0123456789".utf8).shuffled(using: &random)
            let changed = zip(texts, masked).map { text, shown in
                String(
                    decoding: zip(text.utf8, (shown ?? "").utf8).map { byte, seen in
                        seen == UInt8(ascii: "*") && (0x30...0x39).contains(byte)
                            ? digits[Int(byte - 0x30)] : byte
                    }, as: UTF8.self)
            }
            #expect(lines(changed) == whole)
        }
    }

    /// The view `full` shows a name as the card has it.
    @Test func theFullViewShowsAll() throws {
        let texts = ["%B4761730000000011^4012888888881881^2412201114380?", "", ""]
        let swipe = try #require(HostileReports.swipes(of: texts).first).swipe
        let line = Self.line(swipe, .full)
        #expect(line.contains(#""name":"4012888888881881""#) && line.contains(texts[0]))
        let masked = Self.line(swipe, .masked)
        #expect(!masked.contains(#""name""#))
        #expect(masked.contains(#""masked":"%B476173******0011^****************^2412201******?""#))
    }
}
