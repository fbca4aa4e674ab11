import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import MSRReaders

/// Encoders that take their time: a late answer is the answer to its own question, or none.
@Suite struct LateAnswerTests {
    static func value(_ driver: some ReaderDriver, _ name: String) -> PropertyValue? {
        var driver = driver
        for case .signal(.property(let reply)) in driver.property(PropertyRequest(token: 1, name: name)) {
            if case .success(let value) = reply.outcome { return value }
        }
        return nil
    }

    private static let truth: [String: PropertyValue] = [
        "model_code": .text("3"), "firmware": .text("REVT3.12"), "coercivity": .text("low"),
        "leading_zeros": .text("61 22"), "bits_per_byte": .text("8 8 8"),
    ]

    private static func started<Link: EncoderLink>(
        _ link: Link.Type, after milliseconds: Int
    ) -> EncoderBench<Link> {
        var habits = EncoderSimulator.Habits()
        habits.answersAfter = .milliseconds(milliseconds)
        var bench = EncoderBench<Link>(habits)
        bench.start()
        bench.run(.seconds(30))
        return bench
    }

    /// Up to a second: everything is known, as it is.
    private static func isKnown<Link: EncoderLink>(_ link: Link.Type, _ milliseconds: Int) throws {
        var bench = started(link, after: milliseconds)
        #expect(bench.signals.suffix(2) == [.activated(.success), .ready(expiresIn: nil)])
        #expect(bench.complaints.isEmpty && bench.swipes.isEmpty)
        for (name, value) in truth { #expect(Self.value(bench.driver, name) == value, "\(name)") }
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        #expect(bench.takeSwipes().map { $0.tracks.map(\.outcome.clear) } == [Cards.all])
    }

    @Test(arguments: [450, 500, 600, 750, 900, 1000]) func upToASecond(milliseconds: Int) throws {
        try Self.isKnown(ReportLink.self, milliseconds)
        try Self.isKnown(WireLink.self, milliseconds)
    }

    /// Later than anybody waits: not known perhaps, and nothing wrong is.
    private static func isNotWrong<Link: EncoderLink>(_ link: Link.Type, _ milliseconds: Int) {
        let bench = started(link, after: milliseconds)
        for (name, value) in truth {
            let told = Self.value(bench.driver, name)
            #expect(told == nil || told == value, "\(name): \(told as Any)")
        }
        #expect(bench.swipes.isEmpty)
    }

    @Test(arguments: Array(stride(from: 1100, through: 4000, by: 100))) func laterThanAnybodyWaits(
        milliseconds: Int
    ) {
        Self.isNotWrong(ReportLink.self, milliseconds)
        Self.isNotWrong(WireLink.self, milliseconds)
    }

    /// What a card could have in it is no firmware, whoever says so: everybody may see that.
    @Test(arguments: [
        "6011 0009 9013 9424", "4111-1111.1111 1111",
        ";6011000990139424=2701101?", "6011000990139424", "REVT990139424", "%B6011^A/B^2701?", "3S",
    ])
    func whatIsNoFirmware(text: String) {
        let answer = [0x1B] + Array(text.utf8)
        #expect(MSRQuestion.firmware.answer(in: answer, isEnd: true) == nil)
        // Nor is its beginning.
        for count in 1...answer.count {
            #expect(MSRQuestion.firmware.answer(in: Array(answer.prefix(count)), isEnd: false) == nil)
        }
    }

    /// The answer to an earlier question in front of the right one, in one piece or byte by byte.
    @Test(arguments: MSRQuestion.allCases) func anotherAnswerInFront(question: MSRQuestion) {
        let answers: [MSRQuestion: [UInt8]] = [
            .model: [0x1B, 0x33, 0x53], .firmware: [0x1B] + Array("REVT3.12".utf8),
            .coercivity: [0x1B, 0x4C],
            .leadingZeros: [0x1B, 61, 22], .bits: [0x1B, 0x30, 8, 8, 8],
        ]
        let right = answers[question] ?? []
        let others = [[0x1B, 0x79]] + answers.filter { $0.key.order < question.order }.map(\.value)
        let fact = question.answer(in: right, isEnd: true)
        #expect(fact != nil)
        for other in others {
            #expect(question.answer(in: other + right, isEnd: true) == fact, "\(other)")
            for count in 0...other.count {
                let begun = Array(other.prefix(count))
                #expect(question.answer(in: begun, isEnd: false, isDoubtful: true) == nil, "\(begun)")
            }
        }
    }
}

extension MSRQuestion {
    fileprivate var order: Int { MSRQuestion.allCases.firstIndex(of: self) ?? 0 }
}
