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
        var encoding: SampleEncoding
        var channels: Int
        var sampleRate: Int
    }

    private static let pcm = 1
    private static let float = 3
    private static let extensible = 0xFFFE
    /// Recorders that write to a pipe cannot know the length: they announce about 2 or 4 GiB, or nothing.
    private static let unknownLength = 0x7FFF_0000
    static let mostChannels = 64
    static let sampleRates = 1000...768_000

    /// What tells a WAV file.
    static let headBytes = 12

    static func isWAV(_ bytes: [UInt8]) -> Bool {
        bytes.count >= headBytes && name(bytes, 0) == "RIFF" && name(bytes, 8) == "WAVE"
    }

    /// Whether the bytes are the beginning of a WAV file's beginning, and nothing else.
    static func isCutShort(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.count < headBytes
            && zip(bytes, Array("RIFF".utf8)).allSatisfy { $0 == $1 }
    }

    static func sound(_ bytes: [UInt8]) throws(SoundError) -> Sound {
        guard !bytes.isEmpty else { throw SoundError("the file is empty") }
        guard !isCutShort(bytes) else { throw SoundError("the WAV file is cut short") }
        guard isWAV(bytes) else {
            throw SoundError("not a WAV file; captures of HID readers are read with --hid")
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
                if isUnknown(length, body, bytes) { return try samples(bytes, body..<bytes.count, format) }
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

    /// Whether the samples go on to the end of the file, whatever their announced length: nobody came back to write it.
    /// No samples at all are meant where other chunks follow, or nothing.
    private static func isUnknown(_ length: Int, _ body: Int, _ bytes: [UInt8]) -> Bool {
        length >= unknownLength || (length == 0 && body < bytes.count && !isChunk(bytes, body))
    }

    /// Whether a chunk begins there: a printable name, and a length that is in the file.
    private static func isChunk(_ bytes: [UInt8], _ at: Int) -> Bool {
        guard at + 8 <= bytes.count else { return false }
        let isNamed = bytes[at..<at + 4].allSatisfy { (UInt8(ascii: " ")...UInt8(ascii: "~")).contains($0) }
        return isNamed && number(bytes, at + 4, 4) <= bytes.count - at - 8
    }

    private static func format(_ bytes: [UInt8], _ at: Int, _ length: Int) throws(SoundError) -> Format {
        let channels = number(bytes, at + 2, 2)
        let sampleRate = number(bytes, at + 4, 4)
        guard (1...mostChannels).contains(channels), sampleRates.contains(sampleRate) else {
            throw SoundError("the WAV file's header makes no sense")
        }
        var tag = number(bytes, at, 2)
        // The extensible form keeps the tag in the first two bytes of its GUID.
        if tag == extensible, length >= 26 { tag = number(bytes, at + 24, 2) }
        guard let encoding = encoding(tag: tag, bits: number(bytes, at + 14, 2)) else {
            throw SoundError("the WAV file holds compressed or unknown samples")
        }
        return Format(encoding: encoding, channels: channels, sampleRate: sampleRate)
    }

    /// 8 bit samples are unsigned, all others signed.
    private static func encoding(tag: Int, bits: Int) -> SampleEncoding? {
        switch (tag, bits) {
        case (pcm, 8): .u8
        case (pcm, 16): .s16
        case (pcm, 24): .s24
        case (pcm, 32): .s32
        case (float, 32): .f32
        case (float, 64): .f64
        case _: nil
        }
    }

    private static func samples(
        _ bytes: [UInt8], _ range: Range<Int>, _ format: Format
    ) throws(SoundError) -> Sound {
        let raw = RawSound(
            encoding: format.encoding, sampleRate: format.sampleRate, channels: format.channels)
        return try raw.sound(bytes, range)
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
