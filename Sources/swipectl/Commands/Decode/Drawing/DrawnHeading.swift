import CardData
import StripeSignal

/// What came of the swipe, in words.
struct DrawnHeading {
    var swipe: RecordedSwipe
    var part: StripeSwipe
    var name: String
    /// How many bits there are depends on the LRC's, of a backward swipe.
    var reveals: Bool

    private static let lineHeight = 20.0

    /// - Returns: where the next part begins.
    func draw(_ canvas: inout SVGCanvas) -> Double {
        var y = 30.0
        canvas.words("title", x: DrawingRows.left, y: y, name)
        for reading in swipe.tracks {
            y += Self.lineHeight + 2
            canvas.words(kind(reading), x: DrawingRows.left, y: y, sentence(reading))
        }
        y += Self.lineHeight
        canvas.words("note", x: DrawingRows.left, y: y, measures)
        return y + 14
    }

    private func kind(_ reading: TrackReading) -> String {
        switch reading.outcome {
        case .read, .encrypted: "good"
        case .repaired: "mended"
        case .empty, .refused: "bad"
        }
    }

    private func sentence(_ reading: TrackReading) -> String {
        let track = "Track \(reading.track)"
        return switch reading.outcome {
        case .read(let text): "\(track) read: \(text.count) characters, parity and check character right"
        case .encrypted: "\(track): encrypted"
        case .repaired(let text, let bits):
            "\(track) read after repair: \(text.count) characters, \(bits) bit\(bits == 1 ? "" : "s") changed"
        case .empty: "\(track): empty"
        case .refused(let refusal): "Not read: \(Self.reason(refusal))"
        }
    }

    private static func reason(_ refusal: TrackRefusal) -> String {
        switch refusal {
        case .noStartSentinel: "no start sentinel was found among the bits"
        case .noEndSentinel(let bit): "the bits end (at bit \(bit)) before an end sentinel"
        case .parity(let bit): "a character's parity is wrong at bit \(bit)"
        case .longitudinalRedundancy(let bit): "the check character (LRC) at bit \(bit) does not fit the text"
        case .tooLong(let bit): "no end sentinel within the longest text that there is (bit \(bit))"
        case .tooShort(let bit): "a text so short (it ends at bit \(bit)) may be chance"
        case .ambiguous(let doubt, let bit): "\(Self.reason(doubt)) (bit \(bit))"
        case .malformed: "the data contradicts itself"
        }
    }

    private static func reason(_ doubt: TrackRefusal.Doubt) -> String {
        switch doubt {
        case .rival: "another text is about as likely"
        case .unsureBits: "a text was found whose bits are not sure enough"
        case .piece: "a text was found that may be a piece of a longer record"
        case .seam: "a text was found across a step in the clock: samples are missing or out of place"
        case .doubledBits: "every bit comes twice"
        case .secondBeginning: "a start sentinel stands within the text"
        }
    }

    private var measures: String {
        let quality = part.quality
        var words = ["\(rounded(swipe.end - swipe.start, 3)) s"]
        if let direction = quality.direction { words.append(direction.rawValue) }
        if let speed = quality.speed { words.append("\(rounded(speed, 1)) cm/s") }
        if let noise = quality.signalToNoiseDecibels {
            words.append("signal to noise \(rounded(noise, 1)) dB")
        }
        if let jitter = quality.jitterPercent { words.append("jitter \(rounded(jitter, 1)) %") }
        if let clipped = quality.clippedPercent, clipped > 0 {
            words.append("clipped \(rounded(clipped, 1)) %")
        }
        if reveals {
            let bits = part.bitRuns.reduce(0) { $0 + $1.bits.count }
            words.append("\(bits) bits in \(part.bitRuns.count) run(s)")
        }
        if let hint = quality.hint { words.append("hint: \(hint.rawValue)") }
        return words.joined(separator: " · ")
    }

    private func rounded(_ value: Double, _ places: Int) -> Double {
        let scale = (0..<places).reduce(1.0) { partial, _ in partial * 10 }
        return (value * scale).rounded() / scale
    }
}
