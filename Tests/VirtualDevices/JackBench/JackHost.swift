package import AudioReaders
package import DeviceIO
package import ReaderKit

/// The host's end of the loop, without a driver: plays commands, hears messages.
package struct JackHost {
    /// Seconds of ours that a message may take: what answers is a thread on a machine that may be busy.
    private static let patience = 6.0

    private static let tries = 3

    private let speed: Double
    package let sound: SoundTransport
    package let profile: AcousticProfile
    private let modulator: AcousticModulator
    private let rate: Int
    private var demodulator: AcousticDemodulator
    private var collector = BurstCollector()
    private var waiting: [BurstCollector.Message] = []
    private var nextFrame: UInt64 = 0
    /// Questions that were asked again: a busy machine tears sound, in either direction.
    package private(set) var repeated = 0

    package init(_ sound: SoundTransport, profile: AcousticProfile, speed: Double = 1) {
        self.speed = speed
        self.sound = sound
        self.profile = profile
        rate = sound.format?.sampleRate ?? 0
        modulator = AcousticModulator(profile: profile, sampleRate: rate)
        demodulator = AcousticDemodulator(profile: profile, sampleRate: rate)
    }

    /// The tone, for as long as the reader needs to power up.
    package mutating func powerUp() async throws(DeviceError) {
        try await sound.send(.sound(.startTone(profile.tone)))
        _ = try await listen(seconds: profile.powerUp / .seconds(1) + 0.3) { _ in false }
    }

    /// Plays a command and waits for what comes back; again where nothing does.
    package mutating func ask(_ bytes: [UInt8]) async throws(DeviceError) -> BurstCollector.Message? {
        for attempt in 0..<Self.tries {
            if attempt > 0 { repeated += 1 }
            waiting = []
            try await sound.send(.sound(.play(modulator.samples(for: bytes), rate: rate)))
            if let answer = try await message() { return answer }
        }
        return nil
    }

    /// The next message; nil when none comes in time.
    package mutating func message() async throws(DeviceError) -> BurstCollector.Message? {
        if waiting.isEmpty { _ = try await listen(seconds: Self.patience * speed) { !$0.isEmpty } }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private mutating func listen(
        seconds: Double, until isEnough: ([BurstCollector.Message]) -> Bool
    ) async throws(DeviceError) -> Bool {
        var frames = 0
        while frames < Int(seconds * Double(rate)) {
            let block = try await sound.receive()
            frames += block.samples.count
            if block.firstFrame != nextFrame { demodulator.interrupt() }
            nextFrame = block.firstFrame &+ UInt64(block.samples.count)
            for event in demodulator.process(block.samples.span) {
                if let message = collector.receive(event) { waiting.append(message) }
            }
            if isEnough(waiting) { return true }
        }
        return false
    }
}
