/// Sound in forms that are not read here, and what to do about it.
enum ForeignSound {
    private struct Kind {
        var name: String
        var place = 0
        var mark: [UInt8]

        init(_ name: String, _ mark: String, at place: Int = 0) {
            (self.name, self.place, self.mark) = (name, place, Array(mark.utf8))
        }

        init(_ name: String, bytes: [UInt8]) { (self.name, mark) = (name, bytes) }
    }

    /// Bytes that tell every one of them.
    static let headBytes = 16

    /// What their files begin with, by their own specifications.
    private static let kinds = [
        Kind("an MP3 file", "ID3"), Kind("a FLAC file", "fLaC"), Kind("an Ogg file (Vorbis or Opus)", "OggS"),
        Kind("an MPEG-4 file (m4a)", "ftyp", at: 4), Kind("an AIFF file", "FORM"), Kind("an AU file", ".snd"),
        Kind("a CAF file", "caff"), Kind("an AMR file", "#!AMR"), Kind("a Wave64 file", "riff"),
        Kind("a Matroska or WebM file", bytes: [0x1A, 0x45, 0xDF, 0xA3]),
        Kind("a Windows Media file", bytes: [0x30, 0x26, 0xB2, 0x75]),
    ]

    static let advice = "convert it first: ffmpeg -i FILE OUT.wav, or sox FILE OUT.wav"

    /// What a file of sound is that begins so, WAV among them; nil where it may be something else. Behind each of the marks stand
    /// lengths and numbers with a zero among them, which a text that begins alike has not.
    static func name(_ bytes: [UInt8]) -> String? {
        if WAVFile.isWAV(bytes) { return "a WAV file" }
        let head = Array(bytes.prefix(headBytes))
        guard head.contains(0) else { return nil }
        return kinds.first { head.dropFirst($0.place).starts(with: $0.mark) }?.name
    }

    /// What a file is that begins so, and how to convert it; nil where nothing tells.
    ///
    /// - Parameter isRaw: whether any bytes may be samples.
    static func hint(_ head: [UInt8], isRaw: Bool) -> String? {
        let kind = kinds.first { head.dropFirst($0.place).starts(with: $0.mark) }
        if let kind { return "\(kind.name), not WAV; \(advice)" }
        if !isRaw, isUTF16(head) {
            return "a text in UTF-16, not a WAV file; 'swipectl decode --hid' reads captures of HID readers"
        }
        // An MPEG frame: eleven bits, then a layer and a version that there are. Samples may look the same.
        guard !isRaw, head.count > 1, head[0] == 0xFF, head[1] & 0xE0 == 0xE0, head[1] & 0x06 != 0,
            head[1] & 0x18 != 0x08
        else { return nil }
        return "an MP3 file, not WAV; \(advice)"
    }

    /// Whether a text begins with the mark of UTF-16, which looks like an MPEG frame's, and a character of ASCII.
    static func isUTF16(_ head: [UInt8]) -> Bool {
        guard head.count >= 4 else { return false }
        return head.starts(with: [0xFF, 0xFE]) && head[3] == 0
            || head.starts(with: [0xFE, 0xFF]) && head[2] == 0
    }
}
