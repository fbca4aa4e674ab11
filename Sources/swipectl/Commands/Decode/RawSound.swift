/// How one sample is written; little-endian.
enum SampleEncoding: String, CaseIterable {
    case u8, s16, s24, s32, f32, f64

    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    var bytes: Int {
        switch self {
        case .u8: 1
        case .s16: 2
        case .s24: 3
        case .s32, .f32: 4
        case .f64: 8
        }
    }
}

/// Samples without a header, channels interleaved.
struct RawSound {
    var encoding: SampleEncoding
    var sampleRate: Int
    var channels: Int

    /// A sample of every channel.
    var frameBytes: Int { channels * encoding.bytes }

    /// The samples in a range of bytes; a last frame that is not whole is left out.
    func sound(_ bytes: [UInt8], _ range: Range<Int>) -> Sound {
        let frame = frameBytes
        let frames = range.count / max(frame, 1)
        let channels = (0..<self.channels).map { channel in
            let first = range.lowerBound + channel * encoding.bytes
            return samples(bytes, (0..<frames).lazy.map { first + $0 * frame })
        }
        return Sound(sampleRate: sampleRate, channels: channels)
    }

    private func samples(_ bytes: [UInt8], _ places: some Collection<Int>) -> Sound.Samples {
        switch encoding {
        case .u8: .integers(places.map { (Int16(bytes[$0]) - 128) * 256 })
        case .s16: .integers(places.map { Int16(truncatingIfNeeded: number(bytes, $0, 2)) })
        case .s24: .floats(places.map { Self.fraction(number(bytes, $0, 3) << 8) })
        case .s32: .floats(places.map { Self.fraction(number(bytes, $0, 4)) })
        case .f32: .floats(places.map { Float(bitPattern: UInt32(truncatingIfNeeded: number(bytes, $0, 4))) })
        case .f64: .floats(places.map { Float(Double(bitPattern: number(bytes, $0, 8))) })
        }
    }

    private static func fraction(_ word: UInt64) -> Float {
        Float(Int32(truncatingIfNeeded: word)) / 0x1p31
    }

    private func number(_ bytes: [UInt8], _ at: Int, _ width: Int) -> UInt64 {
        var value: UInt64 = 0
        for byte in 0..<width { value |= UInt64(bytes[at + byte]) << UInt64(8 * byte) }
        return value
    }
}

/// Whether samples in floats were ever scaled to full scale 1.
struct ScaleCheck {
    /// Beyond this the decoder takes a sample for no sound, and for silence.
    private static let loudest: Float = 1024
    /// Samples among which one such may be a recorder's glitch; of integers that were never scaled most are.
    private static let samplesAGlitch = 100
    private static let toleratedSamples = 32

    /// One a channel.
    private var counts: [(samples: Int, beyond: Int)] = []

    mutating func add(_ sound: Sound) {
        for (index, channel) in sound.channels.enumerated() {
            guard case .floats(let samples) = channel else { continue }
            if index >= counts.count { counts.append((0, 0)) }
            guard counts.indices.contains(index) else { continue }
            counts[index].samples += samples.count
            for sample in samples where sample.isFinite && abs(sample) > Self.loudest {
                counts[index].beyond += 1
            }
        }
    }

    func check() throws(SoundError) {
        for (samples, beyond) in counts
        where beyond > max(Self.toleratedSamples, samples / Self.samplesAGlitch) {
            throw SoundError(
                "its float samples are not scaled: full scale is 1, and \(beyond) are beyond 1024")
        }
    }
}
