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

    static func heard(_ samples: [Int16], _ demodulator: inout AcousticDemodulator) -> [BurstCollector
        .Message]
    {
        var collector = BurstCollector()
        return demodulator.process(samples.span).compactMap { collector.receive($0) }
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
        let heard = Self.heard(silence + modulator.samples(for: bytes) + silence, &demodulator)
        let isRight = heard == [BurstCollector.Message(bytes: bytes)]
        #expect(isRight, "\(heard.map(\.bytes.count)) bytes")
    }
}
