import AudioReaders
import Glibc
import ReaderKit
import ReaderTesting

/// Pumps sound through a simulated reader: for each frame that is heard one is said.
struct JackReader {
    /// What is heard at once: 10 ms at 48,000 Hz.
    private static let chunkFrames = 480
    private static let bytesHeard = 4
    private static let longestCommand = 64

    private let commands: Int32
    private let kind: ReaderSimulator.Kind
    private var simulator: ReaderSimulator
    private var generator = SeededGenerator(state: 7)
    private var swipes = 0
    /// What is on its way to the card.
    private var coming: ArraySlice<Int16> = []
    private var understood = 0

    init(_ kind: ReaderSimulator.Kind, rate: Int, commands: Int32) {
        self.commands = commands
        self.kind = kind
        simulator = ReaderSimulator(kind, rate: rate)
    }

    /// Nil where there is no such kind.
    ///
    /// - Parameter baud: in place of what the kind's first profile says.
    static func kind(_ name: String, baud: Int?) -> ReaderSimulator.Kind? {
        switch name {
        case "headphone": return .headphone
        case "silence": return .silence
        case _: break
        }
        guard var profile = AcousticProfile.standard.first(where: { $0.reader.rawValue == name }) else {
            return nil
        }
        profile.baud = baud ?? profile.baud
        return profile.reader == .unimag ? .uniMag(profile) : .battery(profile)
    }

    static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    mutating func run() {
        Self.say("plugged in")
        var bytes: [UInt8] = []
        while let more = Self.hear() {
            bytes += more
            let frames = bytes.count / Self.bytesHeard
            let left = (0..<frames).map {
                Int16(
                    truncatingIfNeeded: UInt16(bytes[$0 * Self.bytesHeard])
                        | UInt16(bytes[$0 * Self.bytesHeard + 1]) << 8)
            }
            bytes.removeFirst(frames * Self.bytesHeard)
            for answer in simulator.hear(left) { coming += answer }
            tellOfCommands()
            guard obey(), speak(frames) else { return }
        }
    }

    /// Nil at the end of the sound.
    private static func hear() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: chunkFrames * bytesHeard)
        let count = read(STDIN_FILENO, &chunk, chunk.count)
        return count > 0 ? Array(chunk.prefix(count)) : nil
    }

    private mutating func speak(_ frames: Int) -> Bool {
        var said = Array(coming.prefix(frames))
        coming = coming.dropFirst(frames)
        if coming.isEmpty { coming = [] }
        said += [Int16](repeating: 0, count: frames - said.count)
        let bytes = said.flatMap { sample -> [UInt8] in
            let bits = UInt16(bitPattern: sample)
            return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private mutating func tellOfCommands() {
        for command in simulator.commands.dropFirst(understood) { Self.say("heard \(Self.hex(command))") }
        understood = simulator.commands.count
    }

    /// Does what stands in the FIFO. False where that is the end.
    private mutating func obey() -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.longestCommand)
        let count = read(commands, &bytes, bytes.count)
        guard count > 0 else { return true }
        for line in bytes.prefix(count).split(separator: UInt8(ascii: "\n")) {
            switch String(decoding: line, as: UTF8.self) {
            case "swipe": swipe(isBad: false)
            case "bad": swipe(isBad: true)
            case "quit": return false
            case let other: Self.say("what is '\(other)'? failed")
            }
        }
        return true
    }

    private mutating func swipe(isBad: Bool) {
        swipes += 1
        simulator.channel = channel()
        let packet: [UInt8]
        switch kind {
        case .uniMag: packet = SimulatedPackets.uniMag(&generator)
        case .battery: packet = isBad ? SimulatedPackets.ipsBadSwipe : SimulatedPackets.ips(&generator)
        case .headphone, .silence: packet = []
        }
        guard let sound = simulator.swipe(packet) else { return Self.say("swipe \(swipes): failed") }
        coming += sound
        Self.say("swipe \(swipes): done \(Self.hex(Array(keySerialNumber(packet))))")
    }

    /// Tells one swipe from another: the serial number counts them, or would.
    private func keySerialNumber(_ packet: [UInt8]) -> ArraySlice<UInt8> {
        switch kind {
        // Before LRC, sum and end mark.
        case .uniMag: packet.dropLast(3).suffix(10)
        case .battery: packet.dropFirst(38).prefix(10)
        case .headphone, .silence: []
        }
    }

    /// 20 dB, the clock off by one percent either way, an offset of up to the signal's own amplitude that fades.
    private mutating func channel() -> AcousticChannel {
        var channel = AcousticChannel(seed: generator.next())
        channel.clockError = swipes % 2 == 0 ? 0.01 : -0.01
        channel.offset = Double.random(in: -1...1, using: &generator)
        channel.offsetDecay = Double.random(in: 0.005...0.02, using: &generator)
        return channel
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
