import Glibc

/// The samples of a recording, one array a channel.
struct Sound {
    enum Samples {
        /// 8 and 16 bit recordings, full scale ±32768.
        case integers([Int16])
        /// Everything finer, full scale ±1.
        case floats([Float])

        var count: Int {
            switch self {
            case .integers(let samples): samples.count
            case .floats(let samples): samples.count
            }
        }
    }

    var sampleRate: Int
    var channels: [Samples]
}

/// Why a file gives no sound. The words are shown to people.
struct SoundError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Reads whole files; `-` is standard input.
enum SoundFile {
    /// A day of 16 bit sound at 8 kHz and more; the limit keeps a wrong file from taking all memory.
    static let largest = 1 << 30
    private static let chunk = 1 << 16

    static func bytes(of path: String) throws(SoundError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SoundError(reason()) }
        defer { if path != "-" { close(descriptor) } }
        return try rest(of: descriptor)
    }

    /// Everything up to the end.
    static func rest(of descriptor: Int32) throws(SoundError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try piece(of: descriptor)
            guard !piece.isEmpty else { return bytes }
            bytes += piece
            guard bytes.count <= largest else { throw SoundError("larger than 1 GiB") }
        }
    }

    /// What is there by now, and waits for something; empty at the end.
    static func piece(of descriptor: Int32) throws(SoundError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SoundError(reason()) }
            return Array(buffer[0..<count])
        }
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
