import ReaderKit
import ReaderTesting
import Testing

@testable import AudioReaders

@Suite("The modem of readers on a headset jack")
struct ModemTests {
    static func profile(_ code: AcousticProfile.LineCode, _ baud: Int) -> AcousticProfile {
        var profile = code == .uart ? AcousticProfile.uniMagProfiles[0] : .ips
        profile.code = code
        profile.baud = baud
        return profile
    }

    @Test(
        "carries every byte, in every code, at every rate",
        arguments: AcousticProfile.LineCode.allCases,
        [
            (9_600, 48_000), (9_600, 44_100), (4_800, 48_000),
            (4_800, 44_100), (2_400, 48_000), (2_400, 44_100), (2_400, 16_000),
        ])
    func everyByte(code: AcousticProfile.LineCode, speed: (baud: Int, rate: Int)) {
        let profile = Self.profile(code, speed.baud)
        let modulator = AcousticModulator(
            profile: profile, sampleRate: speed.rate, speaker: .reader, level: 0.3)
        var demodulator = AcousticDemodulator(profile: profile, sampleRate: speed.rate)
        let silence = [Int16](repeating: 0, count: speed.rate / 50)
        let bytes = [0x02] + (0...255).map { UInt8($0) }
        let heard = ModemSounds.heard(silence + modulator.samples(for: bytes) + silence, &demodulator)
        let isRight = heard == [BurstCollector.Message(bytes: bytes)]
        #expect(isRight, "\(heard.map(\.bytes.count)) bytes")
    }

    @Test(
        "carries packets over noise of 20 dB, a wandering offset and a clock that is off by one percent",
        arguments: AcousticProfile.LineCode.allCases,
        [
            (9_600, 48_000), (9_600, 44_100), (4_800, 48_000), (4_800, 44_100), (2_400, 48_000),
            (2_400, 44_100),
        ])
    func packets(code: AcousticProfile.LineCode, speed: (baud: Int, rate: Int)) {
        let outcome = ModemTrial(profile: Self.profile(code, speed.baud), rate: speed.rate, seed: 7).run(4)
        #expect(outcome == ModemTrial.Outcome(sent: 4, right: 4, wrong: 0))
    }

    @Test("takes no packet for right that noise has bent", arguments: AcousticProfile.LineCode.allCases)
    func noise(code: AcousticProfile.LineCode) {
        var trial = ModemTrial(profile: Self.profile(code, 9_600), rate: 44_100, seed: 11)
        trial.signalToNoiseDecibels = 9
        let outcome = trial.run(12)
        #expect(outcome.wrong == 0)
        #expect(outcome.right < 12)
    }

    @Test(
        "is deaf to a tone, of any pitch, and hears what is louder behind it",
        arguments: [
            900.0, 2_400, 4_800, 6_000, 12_000,
        ])
    func tone(frequency: Double) {
        let profile = Self.profile(.uart, 9_600)
        var demodulator = AcousticDemodulator(profile: profile, sampleRate: 48_000)
        let half = 24_000 / frequency
        let tone = (0..<96_000).map { Int16(Int(Double($0) / half) % 2 == 0 ? 1_500 : -1_500) }
        #expect(ModemSounds.heard(tone, &demodulator).isEmpty)
        let bytes: [UInt8] = [0x06, 0x02, 0x41, 0x03, 0x40]
        let burst = AcousticModulator(profile: profile, sampleRate: 48_000, speaker: .reader, level: 0.5)
            .samples(for: bytes)
        let silence = [Int16](repeating: 0, count: 4_800)
        let heard = ModemSounds.heard(silence + burst + silence, &demodulator)
        #expect(heard.last?.bytes == bytes)
    }

    @Test("inverts what a profile says is inverted")
    func polarity() {
        var profile = Self.profile(.uart, 4_800)
        let bytes: [UInt8] = [0x02, 0x00, 0x03]
        let silence = [Int16](repeating: 0, count: 960)
        profile.replyPolarity = .inverted
        let burst = AcousticModulator(profile: profile, sampleRate: 48_000, speaker: .reader).samples(
            for: bytes)
        for polarity in AcousticProfile.Polarity.allCases {
            profile.replyPolarity = polarity
            var demodulator = AcousticDemodulator(profile: profile, sampleRate: 48_000)
            let heard = ModemSounds.heard(silence + burst + silence, &demodulator)
            #expect((heard == [BurstCollector.Message(bytes: bytes)]) == (polarity == .inverted))
        }
    }

    @Test("checks parity where there is one", arguments: AcousticProfile.Parity.allCases)
    func parity(sent: AcousticProfile.Parity) {
        var profile = Self.profile(.biphase, 4_800)
        profile.parity = sent
        let burst = AcousticModulator(profile: profile, sampleRate: 48_000, speaker: .reader).samples(for: [
            2, 3,
        ])
        let silence = [Int16](repeating: 0, count: 960)
        for parity in AcousticProfile.Parity.allCases {
            profile.parity = parity
            var demodulator = AcousticDemodulator(profile: profile, sampleRate: 48_000)
            let heard = ModemSounds.heard(silence + burst + silence, &demodulator)
            #expect((heard == [BurstCollector.Message(bytes: [2, 3])]) == (parity == sent))
        }
    }

    @Test("forgets what an interruption has cut")
    func interruption() {
        let profile = Self.profile(.uart, 9_600)
        let burst = AcousticModulator(profile: profile, sampleRate: 48_000, speaker: .reader)
            .samples(for: Array(repeating: 0x41, count: 20))
        var demodulator = AcousticDemodulator(profile: profile, sampleRate: 48_000)
        let silence = [Int16](repeating: 0, count: 960)
        let cut = silence + burst.prefix(burst.count - 400)
        _ = demodulator.process(cut.span)
        demodulator.interrupt()
        let events = demodulator.process(silence.span)
        let isEnded = events.contains { if case .burstEnded = $0 { true } else { false } }
        #expect(isEnded)
    }

    @Test("does not trap, whatever it hears", arguments: AcousticProfile.LineCode.allCases)
    func anything(code: AcousticProfile.LineCode) {
        var generator = SeededGenerator(state: 5)
        for rate in [1, 8_000, 44_100] {
            var demodulator = AcousticDemodulator(profile: Self.profile(code, 9_600), sampleRate: rate)
            for length in [0, 1, 2, 3, 4_000] {
                for kind in 0..<4 {
                    let samples = (0..<length).map { index -> Int16 in
                        switch kind {
                        case 0: Int16(truncatingIfNeeded: generator.next())
                        case 1: index % 2 == 0 ? .min : .max
                        case 2: .min
                        case _: Int16(truncatingIfNeeded: index * 7)
                        }
                    }
                    _ = demodulator.process(samples.span)
                    demodulator.interrupt()
                }
            }
        }
    }
}
