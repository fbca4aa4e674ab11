import CardData
import ReaderKit
import Testing

@testable import SerialReaders

/// Whose text is whose in a Spectrum III's message: by the card's status, since neither the sentinels nor the places say so.
@Suite struct SpectrumTests {
    private static let third = Cards.track3

    /// `60 HI LO · command, status, what is given · LRC 03`
    private static func message(_ body: [UInt8]) -> [UInt8] {
        let data: [UInt8] = [0x50, 0x1E] + body
        let bytes: [UInt8] = [0x60, 0, UInt8(data.count)] + data
        return bytes + [bytes.reduce(0, ^), 0x03]
    }

    private static func heard(_ body: [UInt8]) -> [ReaderSignal] {
        LineSignals.of(SpectrumLine.self, [message(body)])
    }

    /// Texts, or why there is none; nil for a blank track.
    private static func outcomes(_ body: [UInt8]) -> [String?] {
        LineSignals.swipes(heard(body)).first?.tracks.map { track in
            switch track.outcome {
            case .empty: nil
            case .refused: "refused"
            case _: track.outcome.clear
            }
        } ?? ["none"]
    }

    /// Each set of tracks that was decoded, each set of those that failed, with the places of the others and without.
    @Test(arguments: 0..<27, [true, false]) func theStatusSaysWhoseTextItIs(state: Int, keepsPlaces: Bool) {
        let texts = [Cards.track1, Cards.track2, Self.third]
        let states = [state % 3, state / 3 % 3, state / 9]
        var status: UInt8 = 0
        for (track, state) in states.enumerated() {
            if state == 1 { status |= 0b1001 << track }
            if state == 2 { status |= 0b1000 << track }
        }
        let given = states.enumerated().map { $0.element == 1 ? texts[$0.offset] : "" }
        let parts = keepsPlaces ? given : given.filter { !$0.isEmpty }
        let said = Self.outcomes([status] + parts.joined(separator: "\r").utf8)
        let expected = states.enumerated().map { track, state -> String? in
            state == 0 ? nil : state == 2 ? "refused" : texts[track]
        }
        guard status != 0 else { return #expect(said == ["none"]) }
        let plain = said.map { $0?.replacing(/^\+/, with: ";") }
        #expect(plain == expected, "\(status)")
    }

    /// A status that speaks of other tracks than there are: nobody knows whose text it is.
    @Test(arguments: [UInt8(0b001_001), 0b111_111, 0b011_000]) func aStatusThatSpeaksOfOthers(status: UInt8) {
        let signals = Self.heard([status] + (Cards.track2 + "\r" + Self.third).utf8)
        #expect(LineSignals.swipes(signals).isEmpty)
        #expect(LineSignals.complaints(signals).count == 1)
    }

    @Test func withoutAStatusTheSentinelsSpeak() {
        #expect(
            Self.outcomes(Array("\(Cards.track1)\r\(Cards.track2)".utf8)) == [
                Cards.track1, Cards.track2, nil,
            ])
    }
}
