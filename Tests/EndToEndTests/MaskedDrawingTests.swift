import Foundation
import Testing
import WaveformSynthesis

/// A drawing without `--reveal` gives away none of the digits that it does not show: from what is drawn they cannot be computed.
@Suite struct MaskedDrawingTests {
    let fixture: SoundFixture

    init() throws { fixture = try SoundFixture() }

    private func drawing(_ samples: [Int16], reveals: Bool = false) throws -> String {
        let file = try fixture.write(SoundFixture.wav([samples]), "a.wav")
        let path = fixture.folder.appending(path: "a.svg")
        let options = reveals ? ["--reveal"] : []
        let ended = try FinishedProgram(
            [DecodeRuns.swipectl, "decode"] + options + ["--svg", path.path, file])
        #expect(ended.status == 0)
        return try String(contentsOf: path, encoding: .utf8)
    }

    private static func still(_ recipe: inout StripeRecipe) {
        recipe.speed = SpeedProfile(shape: .constant, centimetresPerSecond: 25)
        recipe.jitter = 0
        recipe.signalToNoise = nil
    }

    /// What somebody can measure: the reversals along the time axis, in pixels.
    private static func reversals(_ svg: String) -> [Double] {
        let marks = svg.matches(of: /class=.(?:up|down|unsure). d=.M([0-9.]+) ([0-9.]+)L/)
        let tips = marks.compactMap { match -> (x: Double, y: Double)? in
            guard let x = Double(match.output.1), let y = Double(match.output.2) else { return nil }
            return (x, y)
        }
        // They are drawn in the order of time; from one row to the next the axis begins anew.
        var row = 0.0
        var last = 0.0
        return tips.map { tip in
            if tip.x + 100 < last { row += 1200 }
            last = tip.x
            return row + tip.x
        }
    }

    /// The digits of a track 2 that its reversals give, from any place that looks like a start sentinel.
    private static func attack(_ svg: String) -> Set<String> {
        let places = reversals(svg)
        guard places.count > 20 else { return [] }
        var bits: [Int] = []
        var index = 0
        while index + 1 < places.count {
            let isShort = places[index + 1] - places[index] < 11
            bits.append(isShort ? 1 : 0)
            index += isShort ? 2 : 1
        }
        var texts: Set<String> = []
        for order in [bits, Array(bits.reversed())] {
            for start in order.indices where order[start...].starts(with: [1, 1, 0, 1, 0]) {
                let characters = stride(from: start, to: order.count - 4, by: 5).map { place -> UInt8 in
                    var value: UInt8 = 0x30
                    for bit in 0..<4 { value += UInt8(order[place + bit] << bit) }
                    return value
                }
                texts.insert(String(decoding: characters, as: UTF8.self))
            }
        }
        return texts
    }

    /// Of a card that was pulled back, hidden characters pass the head before the first ones do for the last time.
    @Test func ofAJoinedSwipeNothingIsDrawn() throws {
        let samples = try SoundFixture.swipe(SoundFixture.track2) {
            Self.still(&$0)
            $0.speed.reversal = SpeedProfile.Reversal(place: 0.5, millimetres: 20)
        }
        #expect(Self.reversals(try drawing(samples, reveals: true)).count > 200)
        #expect(Self.reversals(try drawing(samples)).isEmpty)
    }

    @Test(arguments: [false, true]) func theMarksGiveNoHiddenDigit(isBackward: Bool) throws {
        let samples = try SoundFixture.swipe(SoundFixture.track2) {
            Self.still(&$0)
            $0.isBackward = isBackward
        }
        // The attack works: what is drawn with --reveal gives the whole track.
        let revealed = Self.attack(try drawing(samples, reveals: true))
        #expect(revealed.contains { $0.contains(SoundFixture.track2) })
        let svg = try drawing(samples)
        // The six hidden digits of 4266841088889999.
        let known = Self.attack(svg).contains { $0.contains("41088") || $0.contains("10888") }
        #expect(!known)
        #expect(svg.contains(#"class="hidden""#) && svg.contains(#"class="character""#))
    }

    private static func figures(_ lines: [Substring]) -> [Double] {
        lines.flatMap { $0.matches(of: /[0-9.]+/).compactMap { Double($0.output) } }
    }

    /// What is measured, and the blocks, whose places are told to a whole cell.
    private static let measured = [
        "wave", "envelope", "speed", "up", "down", "unsure", "edge", "odd", "bit", "end", "lost", "box",
        "checkbox", "hidden", "lost",
    ]

    private static func expectAlike(
        _ drawings: [String], _ measured: [String] = measured, within pixels: Double = 0.15
    ) {
        let drawn = drawings.map { svg in
            svg.split(separator: "\n").filter { line in
                measured.contains { line.contains("class=\"\($0)\"") }
            }
        }
        // Figures are written to a tenth of a pixel: noise-free skirts of pulses far away may round to the next.
        for other in drawn.dropFirst() {
            let pairs = zip(figures(drawn[0]), figures(other))
            #expect(pairs.allSatisfy { abs($0 - $1) < pixels } && other.count == drawn[0].count)
        }
    }

    /// All that is drawn, waveform and overview included, is the same whatever the hidden digits are.
    @Test(arguments: [false, true]) func otherDigitsMakeTheSameDrawing(isBackward: Bool) throws {
        let drawings = try ["583914", "000000", "999999", "271828"].map { middle in
            let text = ";476173" + middle + "0011=2412201" + middle + middle + "?"
            return try drawing(
                SoundFixture.swipe(text) {
                    Self.still(&$0)
                    $0.isBackward = isBackward
                })
        }
        Self.expectAlike(drawings)
        #expect(Set(drawings.map { $0.split(separator: "\n").count }).count == 1)
        #expect(drawings.allSatisfy { $0.contains(#"class="wave""#) && $0.contains(#"class="edge""#) })
    }

    /// A backward swipe with a reversal that is lost, which the longer search reads: where it begins does not tell how the LRC ends.
    @Test func theZerosDoNotTellOfTheCheckCharacter() throws {
        // One digit alone differs: the LRC ends in 0 to 4 zeros.
        let drawings = try (0..<10).map { digit in
            try drawing(
                SoundFixture.swipe(";4761739\(digit)24680119=2212201?") {
                    Self.still(&$0)
                    $0.isBackward = true
                    $0.lostTransitions = 1
                })
        }
        // A cell has at least three pixels. A lost reversal turns the others over, and its place moves them a little.
        Self.expectAlike(drawings, ["edge", "odd", "end", "hidden", "lost"], within: 0.5)
        #expect(drawings.allSatisfy { $0.contains(#"class="edge""#) && !$0.contains(" bits in ") })
    }

    /// A swipe that was not read hides its waveform and its characters: who reads better may find the text. One has a bit turned
    /// over, the other ends before its end sentinel, at a place that no character has.
    @Test(arguments: [true, false]) func aRefusedSwipeIsNotDrawn(isCut: Bool) throws {
        let samples = try SoundFixture.swipe(SoundFixture.track2) {
            Self.still(&$0)
            if isCut { $0.bits.removeLast(60) } else { $0.bits[60] ^= 1 }
        }
        let svg = try drawing(samples)
        let letters = Set(svg.matches(of: /class="character" [^>]*>([^<]*)</).map { String($0.output.1) })
        #expect(letters.isSubset(of: ["•"]), "\(letters)")
        #expect(svg.contains("Not read"))
        #expect(!svg.contains(#"class="wave""#) && !svg.contains(#"class="envelope""#))
        #expect(!svg.contains(#"class="edge""#) && Self.reversals(svg).isEmpty)
        #expect(try drawing(samples, reveals: true).contains(#"class="wave""#))
    }

    /// Two heads: the text that is drawn is masked as its own track, not as the other's.
    @Test func eachTrackIsMaskedAsItsOwn() throws {
        let sounds = [
            try SoundFixture.swipe(SoundFixture.track2, track: 2, Self.still),
            try SoundFixture.swipe("%CLUB MEMBER^0123456789^^^^^^^^^^^^?", track: 1, Self.still),
        ]
        let file = try fixture.write(SoundFixture.wav(sounds), "two.wav")
        let path = fixture.folder.appending(path: "two.svg")
        let words = [DecodeRuns.swipectl, "decode", "--svg", path.path, file]
        #expect(try FinishedProgram(words).status == 0)
        let svg = try String(contentsOf: path, encoding: .utf8)
        let letters = svg.matches(of: /class="character" [^>]*>([^<]*)</).map { String($0.output.1) }.joined()
        #expect(
            [";426684******9999=0809101********?", "%***********^**********^^^^^^^^^^^^?"].contains(letters))
    }
}
