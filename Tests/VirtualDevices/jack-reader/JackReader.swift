import AudioReaders
import Glibc
import ReaderKit
import ReaderTesting

/// Pumps sound through a simulated reader: for each frame that is heard one is said.
struct JackReader {
    /// What is heard at once: 10 ms at 48,000 Hz.
    private static let chunkFrames = 480
    private static let channelsHeard = 2
    private static let longestCommand = 64
    /// How long it is quiet before a card is swiped that nobody waits for.
    private static let pauseMilliseconds = 100

    private let commands: Int32
    private let kind: ReaderSimulator.Kind
    private let rate: Int
    private var simulator: ReaderSimulator
    private var generator: SeededGenerator
    private var swipes = 0
    /// Swipes that are still to be made, each as soon as the reader takes one.
    private var wanted = 0
    /// Frames since it said something.
    private var quiet = 0
    /// What is on its way to the card.
    private var coming: ArraySlice<Int16> = []
    private var understood = 0

    init(_ kind: ReaderSimulator.Kind, rate: Int, commands: Int32, seed: UInt64) {
        self.commands = commands
        self.kind = kind
        self.rate = rate
        generator = SeededGenerator(state: seed)
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
        while let left = Self.hear() {
            for answer in simulator.hear(left) { coming += answer }
            tellOfCommands()
            guard obey() else { return }
            swipeOnceMore()
            guard speak(left.count) else { return }
        }
    }

    /// The left channel; nil at the end of the sound.
    private static func hear() -> [Int16]? {
        var heard = [Int16](repeating: 0, count: chunkFrames * channelsHeard)
        var count = 0
        repeat {
            // A pipe may break off within a frame.
            let more = heard.withUnsafeMutableBytes { bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                return read(STDIN_FILENO, rest.baseAddress, rest.count)
            }
            guard more > 0 else { return nil }
            count += more
        } while count % (MemoryLayout<Int16>.size * channelsHeard) != 0
        return stride(from: 0, to: count / MemoryLayout<Int16>.size, by: channelsHeard).map {
            Int16(littleEndian: heard[$0])
        }
    }

    private mutating func speak(_ frames: Int) -> Bool {
        quiet = coming.isEmpty ? quiet + frames : 0
        var said = coming.prefix(frames).map(\.littleEndian)
        coming = coming.dropFirst(frames)
        if coming.isEmpty { coming = [] }
        said += [Int16](repeating: 0, count: frames - said.count)
        return said.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(
                    STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
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
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
            case ("swipe", nil): swipe(isBad: false)
            case ("bad", nil): swipe(isBad: true)
            case ("swipes", let count?): wanted = count
            case ("quit", nil): return false
            case _: Self.say("what is '\(String(decoding: line, as: UTF8.self))'? failed")
            }
        }
        return true
    }

    /// As people do: when the reader waits for a card, and after a moment.
    private mutating func swipeOnceMore() {
        guard wanted > 0, coming.isEmpty, quiet >= rate * Self.pauseMilliseconds / 1_000 else { return }
        if case .uniMag = kind, !simulator.awaitsSwipe { return }
        wanted -= 1
        swipe(isBad: false)
        if wanted == 0 { Self.say("swipes: done") }
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
        Self.say("swipe \(swipes): done \(Self.mark(of: packet, kind))")
    }

    /// What differs between two swipes, as a client sees it: the key serial number and what is encrypted.
    private static func mark(of packet: [UInt8], _ kind: ReaderSimulator.Kind) -> String {
        switch kind {
        case .uniMag:
            // Before LRC, sum and end mark; the reader's own serial number lies between the two.
            let serials = packet.dropLast(3)
            return hex(serials.suffix(10)) + " " + hex(serials.dropLast(20).suffix(96))
        case .battery:
            return hex(packet.dropFirst(38).prefix(10)) + " " + hex(packet.dropFirst(48).prefix(80))
        case .headphone, .silence: return ""
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

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
