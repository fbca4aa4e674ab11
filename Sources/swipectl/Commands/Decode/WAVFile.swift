/// A RIFF/WAVE file, as sound cards' recorders write it, read piece by piece:
///
///     RIFF llll WAVE                       llll: bytes that follow, little-endian
///     ds64 llll RRRRRRRR DDDDDDDD …        RF64 and BW64: lengths of 64 bit; D: of the samples
///     fmt  0010 TTTT CCCC RRRRRRRR …… AAAA BBBB   T: 1 PCM, 3 float, FFFE extensible; C channels; R rate; B bits
///     data llll samples, channels interleaved
///
/// Chunks come in any order of other kinds between them and are padded to even lengths.
/// Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0", and "Multiple Channel Audio
/// Data and WAVE Files" for the extensible form; EBU Tech 3306 and ITU-R BS.2088 for RF64 and BW64.
struct WAVFile {
    private static let pcm = 1
    private static let float = 3
    private static let extensible = 0xFFFE
    /// Recorders that write to a pipe cannot know the length: they announce about 2 or 4 GiB, or nothing.
    private static let unknownLength = 0x7FFF_0000
    /// A length that ds64 tells.
    private static let told64 = 0xFFFF_FFFF
    /// The longest format or ds64 that is looked at; others have tens of bytes.
    private static let longestHeader = 1 << 16
    /// Where only the next bytes tell samples from a chunk: the longest chunk behind no samples.
    private static let longestChunk = 1 << 24
    static let mostChannels = 64
    static let sampleRates = 1000...768_000

    /// What tells a WAV file.
    static let headBytes = 12

    static func isWAV(_ bytes: [UInt8]) -> Bool {
        bytes.count >= headBytes && ["RIFF", "RF64", "BW64"].contains(name(bytes, 0))
            && name(bytes, 8) == "WAVE"
    }

    /// Whether the bytes are the beginning of a WAV file's beginning, and nothing else.
    static func isCutShort(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.count < headBytes
            && zip(bytes, Array("RIFF".utf8)).allSatisfy { $0 == $1 }
    }

    /// How the samples are written.
    let format: RawSound
    private let input: SoundInput
    /// Bytes of samples that the header announces; nil where they go on to the end of the file.
    private let announced: Int?
    private var taken = 0
    /// Bytes of a frame that is not whole yet.
    private var rest: [UInt8] = []
    private var isAtEnd = false

    /// Reads the header, up to the samples.
    init(_ input: SoundInput) throws(SoundError) {
        let head = try input.peek(max(Self.headBytes, ForeignSound.headBytes))
        guard !head.isEmpty else { throw SoundError("the file is empty") }
        guard !Self.isCutShort(head) else { throw SoundError("the WAV file is cut short") }
        guard Self.isWAV(head) else {
            throw SoundError(
                ForeignSound.hint(head, isRaw: false)
                    ?? "not a WAV file; 'swipectl decode --hid' reads captures of HID readers")
        }
        self.input = input
        (format, announced) = try Self.header(input)
    }

    private static func header(_ input: SoundInput) throws(SoundError) -> (RawSound, announced: Int?) {
        _ = try input.take(headBytes)
        var format: RawSound?
        var length64: Int?
        while true {
            let head = try input.take(8)
            guard head.count == 8 else { throw SoundError("the WAV file is cut short: it holds no samples") }
            let length = number(head, 4, 4)
            switch name(head, 0) {
            case "fmt ":
                let body = try body(input, length, atLeast: 16)
                format = try Self.format(body)
            case "ds64":
                length64 = number(try body(input, length, atLeast: 24), 8, 8)
            case "data":
                guard let format else { throw SoundError("the WAV file has no format before its samples") }
                if length == told64, let length64, length64 > 0 { return (format, length64) }
                return (format, try isUnknown(length, input) ? nil : length)
            default:
                guard try input.skip(length + length % 2) else {
                    throw SoundError("the WAV file is cut short: it holds no samples")
                }
            }
        }
    }

    private static func body(
        _ input: SoundInput, _ length: Int, atLeast least: Int
    ) throws(SoundError) -> [UInt8] {
        guard (least...longestHeader).contains(length) else {
            throw SoundError("the WAV file's header makes no sense")
        }
        let body = try input.take(length + length % 2)
        guard body.count >= length else { throw SoundError("the WAV file is cut short in its header") }
        return body
    }

    /// The next samples; nil behind the last.
    mutating func next() throws(SoundError) -> Sound? {
        while !isAtEnd {
            let piece = try input.piece()
            let wanted = announced.map { min(piece.count, $0 - taken) } ?? piece.count
            taken += wanted
            isAtEnd = piece.isEmpty || announced == taken
            rest += piece.prefix(wanted)
            let whole = rest.count - rest.count % format.frameBytes
            guard whole > 0 else { continue }
            let sound = format.sound(rest, 0..<whole)
            rest.removeFirst(whole)
            return sound
        }
        return nil
    }

    /// What is missing of the samples that were announced, behind the last of them; nil where nothing is.
    var shortage: String? {
        guard let announced, taken < announced else { return nil }
        return
            "the WAV file is cut short: \(announced) bytes of samples announced, \(taken) there; these were read"
    }

    /// Whether the samples go on to the end of the file, whatever their announced length: nobody came back to write it.
    /// No samples at all are meant where other chunks follow, or nothing.
    private static func isUnknown(_ length: Int, _ input: SoundInput) throws(SoundError) -> Bool {
        guard length == 0 else { return length >= unknownLength }
        let next = try input.peek(8)
        guard next.count == 8 else { return !next.isEmpty }
        let isNamed = next[0..<4].allSatisfy { (UInt8(ascii: " ")...UInt8(ascii: "~")).contains($0) }
        return !isNamed || number(next, 4, 4) > longestChunk
    }

    private static func format(_ bytes: [UInt8]) throws(SoundError) -> RawSound {
        let channels = number(bytes, 2, 2)
        let sampleRate = number(bytes, 4, 4)
        guard (1...mostChannels).contains(channels), sampleRates.contains(sampleRate) else {
            throw SoundError("the WAV file's header makes no sense")
        }
        var tag = number(bytes, 0, 2)
        // The extensible form keeps the tag in the first two bytes of its GUID.
        if tag == extensible, bytes.count >= 26 { tag = number(bytes, 24, 2) }
        guard let encoding = encoding(tag: tag, bits: number(bytes, 14, 2)) else {
            throw SoundError("the WAV file holds compressed or unknown samples; \(ForeignSound.advice)")
        }
        return RawSound(encoding: encoding, sampleRate: sampleRate, channels: channels)
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

    private static func name(_ bytes: [UInt8], _ at: Int) -> String {
        guard at + 4 <= bytes.count else { return "" }
        return String(decoding: bytes[at..<at + 4], as: UTF8.self)
    }

    /// Little-endian; of eight bytes, what an Int holds.
    private static func number(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
        var value: UInt64 = 0
        for byte in 0..<width { value |= UInt64(bytes[at + byte]) << UInt64(8 * byte) }
        return Int(clamping: value)
    }
}
