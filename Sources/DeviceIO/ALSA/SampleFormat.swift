import CALSA

/// The sample formats that a capture takes, in the order in which it asks for them.
package enum SampleFormat: String, Sendable, Hashable, CaseIterable {
    case int16 = "S16_LE"
    case int32 = "S32_LE"
    /// 24 bits in the low three of four bytes.
    case int24 = "S24_LE"
    case packedInt24 = "S24_3LE"
    case float32 = "FLOAT_LE"

    var alsa: snd_pcm_format_t {
        switch self {
        case .int16: SND_PCM_FORMAT_S16_LE
        case .int32: SND_PCM_FORMAT_S32_LE
        case .int24: SND_PCM_FORMAT_S24_LE
        case .packedInt24: SND_PCM_FORMAT_S24_3LE
        case .float32: SND_PCM_FORMAT_FLOAT_LE
        }
    }

    package var bytesPerSample: Int {
        switch self {
        case .int16: 2
        case .packedInt24: 3
        case .int32, .int24, .float32: 4
        }
    }

    /// One channel of `count` interleaved frames, at 16 bits; empty when the bytes hold fewer frames.
    func extract(
        _ count: Int, from frames: UnsafeRawBufferPointer, channels: Int, channel: Int
    ) -> [Int16] {
        let stride = bytesPerSample * channels
        let first = bytesPerSample * channel
        guard count > 0, channel < channels, frames.count >= count * stride else { return [] }
        return [Int16](unsafeUninitializedCapacity: count) { samples, initialized in
            for index in 0..<count {
                samples.initializeElement(at: index, to: sample(in: frames, at: index * stride + first))
            }
            initialized = count
        }
    }

    @inline(__always)
    private func sample(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int16 {
        switch self {
        case .int16: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)
        // The two highest of the bytes that count.
        case .int32: bytes.loadUnaligned(fromByteOffset: offset + 2, as: Int16.self)
        case .int24, .packedInt24: bytes.loadUnaligned(fromByteOffset: offset + 1, as: Int16.self)
        case .float32: Self.int16(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self))
        }
    }

    /// Frames of two channels, left and right in turn, as bytes of a card with so many channels. A card with one gets the
    /// left one; what it has beyond two stays silent.
    func pack(_ stereo: [Int16], channels: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(stereo.count / 2 * channels * bytesPerSample)
        for frame in stride(from: 0, to: stereo.count - 1, by: 2) {
            for channel in 0..<channels { append(channel < 2 ? stereo[frame + channel] : 0, to: &bytes) }
        }
        return bytes
    }

    private func append(_ sample: Int16, to bytes: inout [UInt8]) {
        switch self {
        case .int16: Self.append(Int64(sample), 2, to: &bytes)
        case .int32: Self.append(Int64(sample) << 16, 4, to: &bytes)
        case .int24: Self.append(Int64(sample) << 8, 4, to: &bytes)
        case .packedInt24: Self.append(Int64(sample) << 8, 3, to: &bytes)
        case .float32: Self.append(Int64((Float(sample) / 32_768).bitPattern), 4, to: &bytes)
        }
    }

    private static func append(_ value: Int64, _ count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    /// Full scale is ±1.0; what a driver sends beyond it is clipped, what is no number is silence.
    static func int16(_ sample: Float) -> Int16 {
        guard sample.isFinite else { return 0 }
        return Int16(min(32_767, max(-32_768, (sample * 32_768).rounded())))
    }
}
