import AudioReaders
package import ReaderKit

/// Sends packets through the modem and a channel, and counts what arrives.
package struct ModemTrial: Sendable {
    package struct Outcome: Sendable, Hashable {
        package var sent = 0
        /// Arrived as they were sent.
        package var right = 0
        /// Accepted, and not what was sent.
        package var wrong = 0

        package init(sent: Int = 0, right: Int = 0, wrong: Int = 0) {
            self.sent = sent
            self.right = right
            self.wrong = wrong
        }
    }

    package var profile: AcousticProfile
    package var rate: Int
    package var signalToNoiseDecibels = 20.0
    package var seed: UInt64

    package init(profile: AcousticProfile, rate: Int, seed: UInt64 = 1) {
        self.profile = profile
        self.rate = rate
        self.seed = seed
    }

    /// Every packet over another channel: clocks off by one percent either way, offsets of up to the signal's own
    /// amplitude that fade within 5 to 20 ms.
    package func run(_ count: Int) -> Outcome {
        var generator = SeededGenerator(state: seed)
        var demodulator = AcousticDemodulator(profile: profile, sampleRate: rate)
        var collector = BurstCollector()
        var outcome = Outcome()
        for index in 0..<count {
            let packet =
                profile.reader == .unimag
                ? SimulatedPackets.uniMag(&generator) : SimulatedPackets.ips(&generator)
            var channel = AcousticChannel(seed: generator.next())
            channel.signalToNoiseDecibels = signalToNoiseDecibels
            channel.clockError = index % 2 == 0 ? 0.01 : -0.01
            channel.offset = Double.random(in: -1...1, using: &generator)
            channel.offsetDecay = Double.random(in: 0.005...0.02, using: &generator)
            let modulator = AcousticModulator(
                profile: profile, sampleRate: rate, speaker: .reader, level: 1,
                clockError: channel.clockError)
            // Silence enough that a packet is never counted with the next.
            let heard =
                channel.carry(modulator.samples(for: packet), rate: rate)
                + [Int16](repeating: 0, count: rate / 10)
            let messages = demodulator.process(heard.span).compactMap { collector.receive($0) }
            judge(packet, messages, &outcome)
        }
        return outcome
    }

    private func judge(_ packet: [UInt8], _ messages: [BurstCollector.Message], _ outcome: inout Outcome) {
        outcome.sent += 1
        let sent = BurstCollector.Message(bytes: packet)
        let accepted = messages.filter(isSwipe)
        outcome.wrong += accepted.count { !$0.bytes.starts(with: packet) }
        outcome.right += accepted.contains { $0.bytes.starts(with: sent.bytes) } ? 1 : 0
    }

    private func isSwipe(_ message: BurstCollector.Message) -> Bool {
        switch profile.reader {
        case .unimag: if case .swipe = UniMagMessage(message) { true } else { false }
        case .ips, .ipsEnterprise: if case .swipe = IPSMessage(message) { true } else { false }
        }
    }
}
