import ReaderKit

/// Listens to a reader: sound to messages, as a profile says.
struct ReaderEar: Sendable {
    enum Heard: Sendable, Hashable {
        /// A reader may have begun to send.
        case burst
        /// The first byte of a message that may be a packet.
        case packet
        case message(BurstCollector.Message)
        /// The burst is over, and nothing was in it.
        case silence
    }

    /// The bytes that a packet begins with, and no reply.
    private let packetStarts: Set<UInt8>
    private let profile: AcousticProfile
    private var demodulator: AcousticDemodulator?
    private var collector = BurstCollector()
    private var sampleRate = 0
    private var hasPacket = false

    init(_ profile: AcousticProfile, packetStarts: Set<UInt8>) {
        self.profile = profile
        self.packetStarts = packetStarts
    }

    mutating func hear(_ block: SampleBlock, follows: Bool) -> [Heard] {
        var ear = ear(for: block)
        // What was begun ends here, and is told with the next sound.
        if !follows { ear.interrupt() }
        let events = ear.process(block.samples.span)
        demodulator = ear
        return events.flatMap { hear($0) }
    }

    /// Forgets what was begun; the rest of it makes no message that anybody takes.
    mutating func reset() {
        collector.reset()
        hasPacket = false
    }

    private mutating func hear(_ event: AcousticEvent) -> [Heard] {
        let message = collector.receive(event)
        switch event {
        case .burstStarted:
            hasPacket = false
            return [.burst]
        case .byte(let byte):
            guard !hasPacket, packetStarts.contains(byte), collector.count == 1 else { return [] }
            hasPacket = true
            return [.packet]
        case .framingError, .parityError: return []
        case .burstEnded: return [message.map { .message($0) } ?? .silence]
        }
    }

    /// The demodulator at work, or a new one where the sound's rate changed with a new capture.
    private mutating func ear(for block: SampleBlock) -> AcousticDemodulator {
        defer { demodulator = nil }
        if let demodulator, sampleRate == block.sampleRate { return demodulator }
        sampleRate = block.sampleRate
        collector.reset()
        return AcousticDemodulator(profile: profile, sampleRate: block.sampleRate)
    }
}
