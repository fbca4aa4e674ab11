package import ReaderKit

/// Listens to what a reader says to one profile, and keeps of it what a profile can be mended by and no card be read
/// from. The samples are not kept: each block is forgotten before the next one comes.
package struct ProbeListening: Sendable {
    package enum Phase: String, Sendable, CaseIterable { case silence, tone, answer }

    /// Distances that are named in a report: the most frequent ones.
    private static let shownDistances = 8

    private let profile: AcousticProfile
    private let sampleRate: Int
    private var measures: [Phase: SoundMeasure] = [:]
    private var demodulator: AcousticDemodulator
    private var shape = ByteShape()
    private var bursts: [String] = []
    private var hasMeaning = false
    private var collector = BurstCollector()

    package init(profile: AcousticProfile, sampleRate: Int) {
        self.profile = profile
        self.sampleRate = sampleRate
        demodulator = AcousticDemodulator(profile: profile, sampleRate: sampleRate)
    }

    /// Whether something was said that the profile's reader would say.
    package var isAnswered: Bool { hasMeaning }

    package mutating func take(_ block: SampleBlock, _ phase: Phase) {
        var measure = measures[phase] ?? SoundMeasure(sampleRate: sampleRate)
        measure.take(block.samples)
        measures[phase] = measure
        for event in demodulator.process(block.samples.span) where phase == .answer {
            shape.take(event)
            if case .burstEnded(let burst) = event { note(burst) }
            if let message = collector.receive(event) { hasMeaning = hasMeaning || isAnswer(message) }
        }
    }

    private mutating func note(_ burst: AcousticBurst) {
        let milliseconds = burst.samples * 1_000 / max(1, sampleRate)
        bursts.append(
            "heard \(milliseconds) ms, \(shape.bytes) bytes, \(shape.errors) errors, level \(Self.short(burst.level)), "
                + "offset \(Self.short(burst.offset)), \(Self.short(burst.samplesPerBit)) samples a bit: \(shape.text)"
        )
        shape = ByteShape()
    }

    private func isAnswer(_ message: BurstCollector.Message) -> Bool {
        switch profile.reader {
        case .unimag:
            switch UniMagMessage(message) {
            case .agreed, .answer, .refused: true
            case .swipe, .malformed, .damaged: false
            }
        case .ips, .ipsEnterprise: IPSMessage(message) == .awake
        }
    }

    /// The report of this profile, line by line.
    package var lines: [String] {
        let silence = measures[.silence]?.medianLevel ?? 0
        var lines = [profile.section, "capture rate \(sampleRate) Hz"]
        for phase in Phase.allCases {
            guard let measure = measures[phase] else { continue }
            lines.append(
                "\(phase.rawValue): level \(Self.short(measure.medianLevel)), peak \(Self.short(measure.peak)), "
                    + "offset \(Self.short(measure.offset)), \(measure.clipped) samples clipped")
        }
        if let answer = measures[.answer] {
            lines += answer.bursts(over: silence).map { "loud from \($0.start)0 ms for \($0.length)0 ms" }
            lines.append("distances between changes: " + Self.frequent(answer.distances))
        }
        return lines + bursts + [isAnswered ? "ANSWERED" : "no answer"]
    }

    private static func frequent(_ distances: [Int]) -> String {
        distances.enumerated().filter { $0.element > 0 }.sorted { $0.element > $1.element }
            .prefix(shownDistances).sorted { $0.offset < $1.offset }
            .map { "\($0.offset) samples x \($0.element)" }.joined(separator: ", ")
    }

    /// Three places behind the point.
    private static func short(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "?" }
        let thousandths = Int((value * 1_000).rounded())
        let digits = String(abs(thousandths) % 1_000)
        return (thousandths < 0 ? "-" : "") + "\(abs(thousandths) / 1_000)."
            + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
