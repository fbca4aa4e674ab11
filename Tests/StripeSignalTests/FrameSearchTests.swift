import CardData
import Testing

@testable import StripeSignal

/// What the reader of bits takes and refuses, on the worked track of `docs/card-data.md`.
@Suite struct FrameSearchTests {
    private static let iso2 = StripeFormat.standard.filter { $0.coding == .iso2 }
    private static let zeros = 20

    /// Between clocking zeros, every bit sure.
    private static func cells(_ bits: [UInt8]) -> SoftBits {
        let lead = [UInt8](repeating: 0, count: zeros)
        let all = lead + bits + lead
        return SoftBits(bits: all, reliability: Array(repeating: 60, count: all.count))
    }

    private static func search(_ soft: SoftBits, _ formats: [StripeFormat] = iso2) -> FrameSearch.Verdict {
        FrameSearch(formats: formats).search(soft, repairs: false) { _ in nil }
    }

    @Test(arguments: [false, true]) func readsBothDirections(reversed: Bool) throws {
        let soft = Self.cells(try TrackFormat.iso2.bits(of: RoundTrip.track2.utf8))
        guard
            case .found(let found) = Self.search(reversed ? soft.reversed() : soft, StripeFormat.standard)
        else {
            Issue.record("not found")
            return
        }
        #expect(String(decoding: found.text, as: UTF8.self) == RoundTrip.track2)
        #expect(found.format.track == 2)
        #expect(found.isReversed == reversed)
        #expect(found.repairedBits == 0)
        #expect(found.place.lowerBound == Self.zeros)
    }

    /// What a clock makes of slow cells, where a hand stopped, looks like a start sentinel now and then.
    @Test(arguments: [(3, true), (3, false), (20, true)])
    func aSentinelInDoubtNeedsZerosBeforeIt(zeros: Int, isSure: Bool) throws {
        var soft = Self.cells(try TrackFormat.iso2.bits(of: RoundTrip.track2.utf8))
        soft.bits.removeFirst(Self.zeros - zeros)
        soft.reliability.removeFirst(Self.zeros - zeros)
        if !isSure { soft.reliability[zeros + 2] = 1 }
        let refusal = Self.refusal(Self.search(soft))
        #expect(refusal == (zeros == 3 && !isSure ? .ambiguous(.piece, atBit: 3) : nil))
    }

    /// A guess at a payment card's text whose check digit is wrong is a wrong guess, or a card that none can check.
    @Test(arguments: [";4111111111111111=080910110000046?", RoundTrip.track2])
    func noRepairContradictsTheCheckDigit(text: String) throws {
        var soft = Self.cells(try TrackFormat.iso2.bits(of: text.utf8))
        let bit = Self.zeros + 5 * 3 + 1
        soft.bits[bit] ^= 1
        soft.reliability[bit] = 1
        let verdict = FrameSearch(formats: Self.iso2).search(soft, repairs: true) { _ in nil }
        var repaired: String?
        if case .found(let found) = verdict { repaired = String(decoding: found.text, as: UTF8.self) }
        #expect(repaired == (text == RoundTrip.track2 ? nil : text))
    }

    @Test func namesTheBrokenCharacter() throws {
        var bits = try TrackFormat.iso2.bits(of: RoundTrip.track2.utf8)
        bits[5 * 7] ^= 1
        #expect(Self.refusal(Self.search(Self.cells(bits))) == .parity(atBit: Self.zeros + 35))
    }

    /// Every other check character of the right parity.
    @Test(arguments: [0b00011, 0b00101, 0b01001, 0b00110, 0b01100, 0b01111])
    func aCheckCharacterOfRightParity(bent: Int) throws {
        var bits = try TrackFormat.iso2.bits(of: RoundTrip.track2.utf8)
        let place = bits.count - 5
        for bit in 0..<4 where bent >> bit & 1 == 1 { bits[place + bit] ^= 1 }
        #expect(
            Self.refusal(Self.search(Self.cells(bits))) == .longitudinalRedundancy(atBit: Self.zeros + place))
    }

    private static func refusal(_ verdict: FrameSearch.Verdict) -> TrackRefusal? {
        verdict.refusal?.reason
    }
}
