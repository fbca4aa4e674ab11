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

/// What a file or standard input holds, piece by piece.
final class SoundInput {
    private static let chunk = 1 << 16

    private let descriptor: Int32
    private let isStandardInput: Bool
    /// Read and not yet taken.
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    /// `-` is standard input.
    init(_ path: String) throws(SoundError) {
        isStandardInput = path == "-"
        descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SoundError(Self.reason()) }
    }

    deinit { if !isStandardInput { close(descriptor) } }

    /// The next bytes without taking them; fewer at the end.
    func peek(_ count: Int) throws(SoundError) -> [UInt8] {
        while buffer.count < count, !isAtEnd {
            let piece = try read()
            isAtEnd = piece.isEmpty
            buffer += piece
        }
        return Array(buffer.prefix(count))
    }

    /// Takes so many bytes; fewer at the end.
    func take(_ count: Int) throws(SoundError) -> [UInt8] {
        let bytes = try peek(count)
        buffer.removeFirst(bytes.count)
        return bytes
    }

    /// Takes what is there by now, and waits for something; empty at the end.
    func piece() throws(SoundError) -> [UInt8] {
        let bytes = buffer.isEmpty && !isAtEnd ? try read() : buffer
        if bytes.isEmpty { isAtEnd = true }
        buffer = []
        return bytes
    }

    /// Passes bytes by.
    ///
    /// - Returns: whether as many were there.
    func skip(_ count: Int) throws(SoundError) -> Bool {
        var left = count
        while left > 0 {
            let bytes = try take(min(left, Self.chunk))
            guard !bytes.isEmpty else { return false }
            left -= bytes.count
        }
        return true
    }

    private func read() throws(SoundError) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SoundError(Self.reason()) }
            return Array(piece[0..<count])
        }
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}

/// Reads small files whole: captures, formats. `-` is standard input.
enum SoundFile {
    /// - Parameter limit: a larger file is read so far, and a byte more, which tells.
    static func bytes(of path: String, limit: Int) throws(SoundError) -> [UInt8] {
        try SoundInput(path).take(limit + 1)
    }

    /// The same of a capture of reports, bytes or keys. Sound is none, whatever could be made of its bytes.
    ///
    /// - Parameter option: what asked for a capture.
    static func capture(_ path: String, limit: Int, option: String) throws(SoundError) -> [UInt8] {
        let bytes = try bytes(of: path, limit: limit)
        guard let sound = ForeignSound.name(bytes) else { return bytes }
        throw SoundError("this is \(sound), which is read without \(option)")
    }
}
