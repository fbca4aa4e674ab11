import CardData
import StripeSignal

/// Everything that came of a swipe, to the last bit, in one number (FNV-1a): where two decoders' digests are the same,
/// so is what they read, refuse and say of its quality.
struct Digest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3

    mutating func add(_ event: StripeEvent) {
        switch event {
        case .activity(let sample): add(sample)
        case .swipe(let swipe):
            add(swipe.startSample)
            add(swipe.endSample)
            for track in swipe.tracks { add(track) }
            for run in swipe.bitRuns {
                add(run.direction?.rawValue ?? "-")
                for bit in run.bits { add(UInt64(bit)) }
                for edge in run.cellEdges { add(edge.bitPattern) }
            }
            add(swipe.quality)
        }
    }

    private mutating func add(_ track: TrackReading) {
        add(UInt64(track.track))
        add(track.format ?? "-")
        switch track.outcome {
        case .read(let text): add("read " + text.reveal())
        case .repaired(let text, let bits): add("repaired \(bits) " + text.reveal())
        case .refused(let refusal):
            add("\(refusal.code) \(refusal.doubt?.rawValue ?? "-") \(refusal.bitPosition ?? -1)")
        case .empty, .encrypted: add("empty")
        }
    }

    private mutating func add(_ quality: SwipeQuality) {
        add(quality.direction?.rawValue ?? "-")
        for number in [quality.speed, quality.signalToNoiseDecibels, quality.jitterPercent] {
            add((number ?? -1).bitPattern)
        }
        add(UInt64(quality.repairedBits))
        add(quality.hint?.rawValue ?? "-")
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { add(UInt64(byte)) }
    }

    private mutating func add(_ number: UInt64) {
        for byte in 0..<8 { value = (value ^ (number >> (8 * byte)) & 0xFF) &* Self.prime }
    }

    var text: String { String(value, radix: 16) }
}
