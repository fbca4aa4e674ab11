import AudioReaders
package import ReaderKit
import ReaderPackets

/// What is plugged into a headset jack: hears what a sound card plays, and says what a reader would.
///
/// ASSUMPTION: it behaves as the profiles and the drivers take readers to behave. It proves the loop, no reader.
package struct ReaderSimulator: Sendable {
    package enum Kind: Sendable, Hashable {
        /// UniMag or Shuttle: lives on the tone, is ready for a swipe on request.
        case uniMag(AcousticProfile)
        /// IPS, or IPS Enterprise: has a battery, answers a wake-up, takes every swipe.
        case battery(AcousticProfile)
        /// A headphone with a microphone, which hears a little of what is played.
        case headphone
        /// Nothing that makes a sound.
        case silence
    }

    /// What a reader without a battery has and loses, as it hears the tone.
    private struct Charge {
        /// A piece of sound that is looked at as a whole.
        static let windowSeconds = 0.01
        /// Of full scale, as a square's mean power: below, nothing is drawn from it.
        static let quietest = 0.3
        /// A reader is up a little before the time that the host gives it.
        static let share = 0.8
        /// How much faster it is lost than gained.
        static let loss = 2

        var windows = 0
        var needed: Int
        var isUp: Bool { windows >= needed }
    }

    package let kind: Kind
    /// The channel towards the host; its seed makes every run the same.
    package var channel: AcousticChannel
    /// Commands that were understood.
    package private(set) var commands: [[UInt8]] = []
    /// Whether a swipe made now would be sent.
    package private(set) var awaitsSwipe = false

    private let rate: Int
    private let profile: AcousticProfile?
    private var ear: AcousticDemodulator?
    private var charge: Charge
    private var window: [Int16] = []
    /// The last bytes heard: a command may stand anywhere in them, since the tone sounds like bytes too.
    private var heard: [UInt8] = []
    private static let longestCommand = 16

    /// - Parameter rate: of what is played and of what is captured.
    package init(_ kind: Kind, rate: Int, seed: UInt64 = 1) {
        self.kind = kind
        self.rate = rate
        channel = AcousticChannel(seed: seed)
        switch kind {
        case .uniMag(let profile), .battery(let profile):
            self.profile = profile
            var listening = profile
            // A reader's comparator knows no silence to compare with: the tone is always there.
            listening.overNoise = 0
            // Nor is a tone ever a preamble that is too long.
            listening.preambleBits = 1_000_000
            ear = AcousticDemodulator(profile: listening, sampleRate: rate, speaker: .host)
            let windows = profile.powerUp / .milliseconds(10) * Charge.share
            charge = Charge(needed: max(1, Int(windows)))
        case .headphone, .silence:
            profile = nil
            charge = Charge(needed: .max)
        }
    }

    package var isPoweredUp: Bool {
        switch kind {
        case .uniMag: charge.isUp
        case .battery: true
        case .headphone, .silence: false
        }
    }

    /// Hears one channel of what is played.
    ///
    /// - Returns: what is said to that, one burst each, as it arrives at the card.
    package mutating func hear(_ samples: [Int16]) -> [[Int16]] {
        // In small pieces: what was said before the power was there is not to be answered.
        let piece = max(1, rate / 100)
        return stride(from: 0, to: samples.count, by: piece).flatMap { start in
            hearPiece(Array(samples[start..<min(samples.count, start + piece)]))
        }
    }

    private mutating func hearPiece(_ samples: [Int16]) -> [[Int16]] {
        feel(samples)
        guard kind != .headphone else { return echo(samples) }
        guard let events = ear?.process(samples.span) else { return [] }
        var answers: [[Int16]] = []
        for case .byte(let byte) in events {
            heard = heard.suffix(Self.longestCommand - 1) + [byte]
            if let answer = answer() { answers.append(say(answer)) }
        }
        return answers
    }

    /// A card is swiped. Nil where the reader takes none now.
    package mutating func swipe(_ packet: [UInt8]) -> [Int16]? {
        guard isPoweredUp else { return nil }
        if case .uniMag = kind {
            guard awaitsSwipe else { return nil }
            awaitsSwipe = false
        }
        return say(packet)
    }

    /// A burst as it arrives at the card.
    package mutating func say(_ bytes: [UInt8]) -> [Int16] {
        guard let profile else { return [] }
        let modulator = AcousticModulator(
            profile: profile, sampleRate: rate, speaker: .reader, level: 1, clockError: channel.clockError)
        return channel.carry(modulator.samples(for: bytes), rate: rate)
    }

    private mutating func feel(_ samples: [Int16]) {
        let length = Int(Charge.windowSeconds * Double(rate))
        for sample in samples {
            window.append(sample)
            guard window.count >= length else { continue }
            let power = window.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(length)
            let isFed = power >= Charge.quietest * Charge.quietest * 32_768 * 32_768
            let gained = isFed ? charge.windows + 1 : charge.windows - Charge.loss
            charge.windows = max(0, min(charge.needed, gained))
            if !charge.isUp, case .uniMag = kind { awaitsSwipe = false }
            window.removeAll(keepingCapacity: true)
        }
    }

    private mutating func echo(_ samples: [Int16]) -> [[Int16]] {
        samples.contains { $0 != 0 } ? [samples.map { $0 / 50 }] : []
    }

    /// The answer to a command that ends with the last byte heard.
    private mutating func answer() -> [UInt8]? {
        guard isPoweredUp else { return nil }
        switch kind {
        case .uniMag: return uniMagAnswer()
        case .battery: return batteryAnswer()
        case .headphone, .silence: return nil
        }
    }

    private mutating func uniMagAnswer() -> [UInt8]? {
        guard let start = heard.indices.last(where: { isCommand(heard[$0...]) }) else { return nil }
        let command = Array(heard[start...])
        heard = []
        commands.append(command)
        switch command {
        case UniMagCommand.version.bytes:
            let body = [0x02] + Array("SIMULATED SHUTTLE".utf8) + [0x03]
            return [0x06] + body + [body.reduce(0, ^)]
        case UniMagCommand.requestSwipe.bytes:
            awaitsSwipe = true
            return [0x06]
        case UniMagCommand.cancelSwipe.bytes:
            awaitsSwipe = false
            return [0x06]
        case _: return [0x15]
        }
    }

    /// 02 … 03 LRC, where the LRC makes the XOR of all of it 0.
    private func isCommand(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 5 && bytes.first == 0x02 && bytes.dropLast().last == 0x03
            && [0x50, 0x52, 0x53].contains(bytes.dropFirst().first) && bytes.reduce(0, ^) == 0
    }

    private mutating func batteryAnswer() -> [UInt8]? {
        guard heard.suffix(IPSMessage.wakeUp.count) == IPSMessage.wakeUp[...] else { return nil }
        heard = []
        commands.append(IPSMessage.wakeUp)
        return [0x4D, IPSChecksum.value(of: [0x4D])]
    }
}
