import CardData
import StripeSignal
import SwipeProtocol

/// What `decode` prints: one JSON object a line.
struct SwipeLines {
    var file: String
    var reveals: Bool

    /// The swipe with all its tracks.
    func tracks(_ swipe: RecordedSwipe, _ index: Int) -> String {
        let quality = swipe.parts.first?.quality ?? SwipeQuality()
        return SwipeLine(
            file: file, index: index, start: rounded(swipe.start, 6),
            duration: rounded(swipe.end - swipe.start, 6), card: Card.recognise(swipe.tracks),
            tracks: swipe.tracks.map {
                SwipeLine.Track(reading: $0, direction: swipe.direction(of: $0)?.rawValue)
            },
            quality: SwipeLine.Quality(
                direction: quality.direction?.rawValue, speed: quality.speed.map { rounded($0, 1) },
                noise: quality.signalToNoiseDecibels.map { rounded($0, 1) },
                jitter: quality.jitterPercent.map { rounded($0, 2) },
                clipped: swipe.clippedPercent.map { rounded($0, 1) }, repairedBits: quality.repairedBits,
                isJoined: quality.isJoined, hint: quality.hint?.rawValue)
        ).json(reveals: reveals)
    }

    /// Each run of bits.
    func bits(_ swipe: RecordedSwipe, _ index: Int) -> [String] {
        swipe.parts.flatMap(\.bitRuns).map { run in
            line(index) { writer in
                writer.field("bits", BitString.text(run.bits))
                writer.field("direction", orNull: run.direction?.rawValue)
            }
        }
    }

    /// Each pulse: where, how high, how clear.
    func pulses(_ swipe: RecordedSwipe, _ index: Int) -> [String] {
        swipe.parts.compactMap(\.trace).flatMap(\.reversals).map { reversal in
            line(index) { writer in
                writer.field("sample", rounded(reversal.position, 3))
                writer.field("amplitude", rounded(Double(reversal.amplitude), 1))
                writer.field("confidence", rounded(Double(reversal.confidence), 3))
            }
        }
    }

    /// The card alone, in the shape that `--hid` prints it in too.
    func card(_ swipe: MaskedSwipe, _ index: Int) -> String {
        line(index) { $0.field("card", orNull: swipe.info(reveals: reveals)) }
    }

    private func line(_ index: Int, _ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(isSensitive: true)
        writer.beginObject()
        writer.field("file", file)
        writer.field("swipe", index)
        body(&writer)
        writer.endObject()
        return writer.finish().text
    }

    func rounded(_ value: Double, _ places: Int) -> Double {
        let scale = (0..<places).reduce(1.0) { partial, _ in partial * 10 }
        return (value * scale).rounded() / scale
    }
}

extension TrackReading {
    /// The status on the wire.
    var status: String { TrackStatus(outcome).rawValue }

    var repairedBits: Int {
        if case .repaired(_, let bits) = outcome { bits } else { 0 }
    }
}

extension RecordedSwipe {
    /// Of the channel that is clipped most.
    var clippedPercent: Double? { parts.compactMap(\.quality.clippedPercent).max() }

    /// What a masked view shows of it.
    var masked: MaskedSwipe { MaskedSwipe(tracks, card: Card.recognise(tracks)) }

    /// The direction in which the channel that gave a reading was swiped.
    func direction(of reading: TrackReading) -> SwipeDirection? {
        let part = parts.first { $0.tracks.contains(reading) } ?? parts.first
        return part?.quality.direction
    }
}

extension SwipeLines {
    /// For people: one line a track.
    func plain(_ swipe: RecordedSwipe, _ index: Int) -> String {
        let quality = swipe.parts.first?.quality ?? SwipeQuality()
        var notes: [String] = []
        if let direction = quality.direction { notes.append(direction.rawValue) }
        if let speed = quality.speed { notes.append("\(rounded(speed, 1)) cm/s") }
        if let noise = quality.signalToNoiseDecibels { notes.append("\(rounded(noise, 1)) dB") }
        if let jitter = quality.jitterPercent { notes.append("jitter \(rounded(jitter, 1)) %") }
        if let clipped = swipe.clippedPercent, SwipeQuality(clippedPercent: clipped).isClipped {
            notes.append("clipped \(rounded(clipped, 1)) %: lower the input's gain")
        }
        if quality.isJoined { notes.append("joined: the card stopped or was pulled back, or of two passes") }
        if let hint = quality.hint { notes.append(hint.rawValue) }
        var text = ""
        for (reading, masked) in zip(swipe.tracks, swipe.masked.texts) {
            let content = (reveals ? reading.text?.reveal() : masked) ?? ""
            let place = "\(file.printable): swipe \(index) at \(rounded(swipe.start, 3)) s"
            text += "\(place): track \(reading.track) \(reading.status) \(content)"
            text += notes.isEmpty ? "\n" : " (\(notes.joined(separator: ", ")))\n"
        }
        return text
    }
}
