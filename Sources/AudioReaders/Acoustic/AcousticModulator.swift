package import ReaderKit

/// Turns bytes into sound, as a profile says.
///
///     preamble  gap  [0 dddddddd (p) 1] [0 dddddddd (p) 1] …  gap
///
/// A sample is the mean of the ideal wave over its own time, so edges stand where they belong also where a bit is no
/// whole number of samples (44,100 / 9,600 = 4.59).
package struct AcousticModulator: Sendable {
    /// Who speaks: the polarity is another one.
    package enum Speaker: Sendable { case host, reader }

    /// Longer messages are cut: no command and no packet of these readers comes near.
    package static let maximumBytes = 2_048

    private let profile: AcousticProfile
    private let samplesPerHalfBit: Double
    private let amplitude: Double

    /// - Parameter clockError: how much faster than it should the speaker's clock runs: 0.01 is one percent.
    package init(
        profile: AcousticProfile, sampleRate: Int, speaker: Speaker = .host, level: Double? = nil,
        clockError: Double = 0
    ) {
        self.profile = profile
        samplesPerHalfBit = Double(max(1, sampleRate)) / Double(max(1, profile.baud)) / 2 / (1 + clockError)
        let polarity = speaker == .host ? profile.commandPolarity : profile.replyPolarity
        let size = min(1, max(0, level ?? profile.commandLevel)) * 32_767
        amplitude = polarity == .normal ? size : -size
    }

    /// One burst, from silence to silence.
    package func samples(for bytes: [UInt8]) -> [Int16] {
        var wave = Wave(samplesPerHalfBit: samplesPerHalfBit, amplitude: amplitude)
        var encoder = LineEncoder(code: profile.code)
        for bit in bits(bytes.prefix(Self.maximumBytes)) {
            for isHigh in encoder.halves(of: bit) { wave.add(isHigh: isHigh) }
        }
        return wave.samples
    }

    private func bits(_ bytes: ArraySlice<UInt8>) -> [Bool] {
        let preamble = (0..<max(0, profile.preambleBits)).map { profile.code == .uart ? $0 % 2 == 1 : true }
        let gap = [Bool](repeating: true, count: max(0, profile.gapBits))
        return preamble + gap + bytes.flatMap(frame) + gap
    }

    private func frame(_ byte: UInt8) -> [Bool] {
        let data = (0..<8).map { byte >> $0 & 1 == 1 }
        switch profile.parity {
        case .none: return [false] + data + [true]
        case .even: return [false] + data + [byte.nonzeroBitCount % 2 == 1, true]
        case .odd: return [false] + data + [byte.nonzeroBitCount % 2 == 0, true]
        }
    }
}

/// The two halves of a bit as levels.
private struct LineEncoder {
    let code: AcousticProfile.LineCode
    private var isHigh = false

    init(code: AcousticProfile.LineCode) { self.code = code }

    mutating func halves(of bit: Bool) -> [Bool] {
        switch code {
        case .uart: return [bit, bit]
        case .manchester: return [!bit, bit]
        case .biphase:
            isHigh.toggle()
            let first = isHigh
            if bit { isHigh.toggle() }
            return [first, isHigh]
        }
    }
}

/// A wave of two levels that grows by half bits.
private struct Wave {
    let samplesPerHalfBit: Double
    let amplitude: Double
    private(set) var samples: [Int16] = []
    private var halves = 0
    /// What the unfinished sample has gathered.
    private var gathered = 0.0

    init(samplesPerHalfBit: Double, amplitude: Double) {
        self.samplesPerHalfBit = samplesPerHalfBit
        self.amplitude = amplitude
    }

    mutating func add(isHigh: Bool) {
        let level = isHigh ? amplitude : -amplitude
        var start = Double(halves) * samplesPerHalfBit
        halves += 1
        let end = Double(halves) * samplesPerHalfBit
        while true {
            let boundary = Double(samples.count + 1)
            guard boundary <= end else { break }
            gathered += level * (boundary - start)
            samples.append(Int16(max(-32_767, min(32_767, gathered.rounded()))))
            gathered = 0
            start = boundary
        }
        gathered += level * (end - start)
    }
}
