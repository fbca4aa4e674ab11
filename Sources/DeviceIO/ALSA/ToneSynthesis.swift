import Glibc
import ReaderKit

/// What is played, frame by frame: bursts one after the other, else the tone, else silence.
struct ToneSynthesis: Sendable {
    /// Bursts that may wait; a driver sends one and waits for the answer.
    static let maximumBursts = 8
    /// The longest burst, in seconds: a thousand bytes at 2,400 baud last four.
    private static let maximumBurstSeconds = 8

    private let rate: Int
    private var tone: PowerTone?
    /// Of the tone, in cycles: 0…1.
    private var phase = 0.0
    private var bursts: [[Int16]] = []
    private var position = 0

    init(rate: Int) { self.rate = max(1, rate) }

    /// Whether anything is to be heard.
    var isSilent: Bool { tone == nil && bursts.isEmpty }

    mutating func start(_ tone: PowerTone) {
        self.tone = tone
        phase = 0
    }

    mutating func stop() {
        tone = nil
        bursts = []
        position = 0
    }

    mutating func play(_ samples: [Int16], rate: Int) throws(DeviceError) {
        guard rate > 0, samples.count / rate <= Self.maximumBurstSeconds else {
            throw .unsupported(detail: "a burst of more than \(Self.maximumBurstSeconds) s")
        }
        guard bursts.count < Self.maximumBursts else {
            throw .busy(detail: "\(Self.maximumBursts) bursts wait to be played")
        }
        // One sample may be none at our rate.
        let burst = converted(samples, rate: rate)
        if !burst.isEmpty { bursts.append(burst) }
    }

    /// The next frames, left and right in turn.
    mutating func fill(_ count: Int) -> [Int16] {
        var stereo: [Int16] = []
        stereo.reserveCapacity(count * 2)
        for _ in 0..<max(0, count) {
            let sample = next()
            let (left, right) = spread(sample)
            stereo.append(left)
            stereo.append(right)
        }
        return stereo
    }

    private mutating func next() -> Int16 {
        guard let burst = bursts.first else { return toneSample() }
        // The tone's clock goes on beneath a burst.
        _ = toneSample()
        let sample = burst[position]
        position += 1
        if position == burst.count {
            bursts.removeFirst()
            position = 0
        }
        return sample
    }

    private func spread(_ sample: Int16) -> (left: Int16, right: Int16) {
        switch tone?.channels ?? .both {
        case .left: (sample, 0)
        case .right: (0, sample)
        case .both: (sample, sample)
        case .opposed: (sample, sample == .min ? .max : -sample)
        }
    }

    private mutating func toneSample() -> Int16 {
        guard let tone, tone.frequency > 0 else { return 0 }
        // Above half the rate nothing can be played; 0.5 is as near as it gets.
        let step = min(0.5, tone.frequency / Double(rate))
        defer { phase = (phase + step).truncatingRemainder(dividingBy: 1) }
        let value: Double
        switch tone.waveform {
        case .sine: value = sin(2 * .pi * phase)
        // The mean of the square over the sample's time.
        case .square: value = (Self.area(phase + step) - Self.area(phase)) / step
        }
        return Int16(max(-32_767, min(32_767, (value * min(1, max(0, tone.level)) * 32_767).rounded())))
    }

    /// What lies beneath a square of ±1 from 0 to so many cycles.
    private static func area(_ cycles: Double) -> Double {
        let part = cycles.truncatingRemainder(dividingBy: 1)
        return part < 0.5 ? part : 1 - part
    }

    /// The samples at our rate, by straight lines.
    private func converted(_ samples: [Int16], rate from: Int) -> [Int16] {
        guard from != rate else { return samples }
        let count = Int((Double(samples.count) * Double(rate) / Double(from)).rounded(.down))
        return (0..<count).map { index in
            let place = Double(index) * Double(from) / Double(rate)
            let before = min(Int(place), samples.count - 1)
            let after = min(before + 1, samples.count - 1)
            let part = place - Double(before)
            let value = Double(samples[before]) * (1 - part) + Double(samples[after]) * part
            return Int16(max(-32_768, min(32_767, value.rounded())))
        }
    }
}
