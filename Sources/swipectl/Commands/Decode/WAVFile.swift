/// A RIFF/WAVE file, as sound cards' recorders write it:
///
///     RIFF llll WAVE                       llll: bytes that follow, little-endian
///     fmt  0010 TTTT CCCC RRRRRRRR …… AAAA BBBB   T: 1 PCM, 3 float, FFFE extensible; C channels; R rate; B bits
///     data llll samples, channels interleaved
///
/// Chunks come in any order of other kinds between them and are padded to even lengths.
/// Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0", and "Multiple Channel Audio
/// Data and WAVE Files" for the extensible form.
struct WAVFile {
    private struct Format {
        var tag: Int
        var channels: Int
        var sampleRate: Int
        var bits: Int
    }

    private static let pcm = 1
    private static let float = 3
    private static let extensible = 0xFFFE
    static let mostChannels = 64
    static let sampleRates = 1000...768_000

    static func isWAV(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 12 && name(bytes, 0) == "RIFF" && name(bytes, 8) == "WAVE"
    }

    static func sound(_ bytes: [UInt8]) throws(SoundError) -> Sound {
        guard !bytes.isEmpty else { throw SoundError("the file is empty") }
        guard isWAV(bytes) else {
            if bytes.count < 12, name(bytes, 0) == "RIFF" { throw SoundError("the WAV file is cut short") }
            throw SoundError("not a WAV file")
        }
        var format: Format?
        var position = 12
        while position + 8 <= bytes.count {
            let length = number(bytes, position + 4, 4)
            let body = position + 8
            switch name(bytes, position) {
            case "fmt ":
                guard length >= 16, body + length <= bytes.count else {
                    throw SoundError("the WAV file is cut short in its header")
                }
                format = try Self.format(bytes, body, length)
            case "data":
                guard let format else { throw SoundError("the WAV file has no format before its samples") }
                guard body + length <= bytes.count else {
                    throw SoundError(
                        "the WAV file is cut short: \(length) bytes of samples announced, \(bytes.count - body) there"
                    )
                }
                return try samples(bytes, body..<body + length, format)
            default: break
            }
            position = body + length + length % 2
        }
        throw SoundError("the WAV file is cut short: it holds no samples")
    }

    private static func format(_ bytes: [UInt8], _ at: Int, _ length: Int) throws(SoundError) -> Format {
        var format = Format(
            tag: number(bytes, at, 2), channels: number(bytes, at + 2, 2),
            sampleRate: number(bytes, at + 4, 4),
            bits: number(bytes, at + 14, 2))
        // The extensible form keeps the tag in the first two bytes of its GUID.
        if format.tag == extensible, length >= 26 { format.tag = number(bytes, at + 24, 2) }
        guard (1...mostChannels).contains(format.channels), sampleRates.contains(format.sampleRate) else {
            throw SoundError("the WAV file's header makes no sense")
        }
        switch (format.tag, format.bits) {
        case (pcm, 8), (pcm, 16), (pcm, 24), (pcm, 32), (float, 32), (float, 64): return format
        default: throw SoundError("the WAV file holds compressed or unknown samples")
        }
    }

    private static func samples(
        _ bytes: [UInt8], _ range: Range<Int>, _ format: Format
    ) throws(SoundError) -> Sound {
        let frame = format.channels * format.bits / 8
        let frames = range.count / frame
        guard frames > 0 else { throw SoundError("the WAV file holds no samples") }
        let channels = (0..<format.channels).map { channel -> Sound.Samples in
            let first = range.lowerBound + channel * format.bits / 8
            let places = (0..<frames).lazy.map { first + $0 * frame }
            if format.tag == pcm, format.bits <= 16 {
                return .integers(places.map { integer(bytes, $0, format.bits) })
            }
            return .floats(places.map { fine(bytes, $0, format) })
        }
        return Sound(sampleRate: format.sampleRate, channels: channels)
    }

    private static func integer(_ bytes: [UInt8], _ at: Int, _ bits: Int) -> Int16 {
        // 8 bit samples are unsigned, all others signed.
        bits == 8
            ? (Int16(bytes[at]) - 128) * 256
            : Int16(truncatingIfNeeded: Int(bytes[at]) | Int(bytes[at + 1]) << 8)
    }

    private static func fine(_ bytes: [UInt8], _ at: Int, _ format: Format) -> Float {
        switch (format.tag, format.bits) {
        case (float, 32): return Float(bitPattern: UInt32(truncatingIfNeeded: number(bytes, at, 4)))
        case (float, _):
            var pattern: UInt64 = 0
            for byte in 0..<8 { pattern |= UInt64(bytes[at + byte]) << UInt64(8 * byte) }
            return Float(Double(bitPattern: pattern))
        default:
            let width = format.bits / 8
            let high = Int32(truncatingIfNeeded: number(bytes, at, width) << (32 - format.bits))
            return Float(high) / 0x1p31
        }
    }

    private static func name(_ bytes: [UInt8], _ at: Int) -> String {
        guard at + 4 <= bytes.count else { return "" }
        return String(decoding: bytes[at..<at + 4], as: UTF8.self)
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
        var value = 0
        for byte in 0..<width { value |= Int(bytes[at + byte]) << (8 * byte) }
        return value
    }
}
