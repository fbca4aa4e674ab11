import ReaderKit
import ReaderTesting
import Testing

@testable import AudioReaders

@Suite("Simulated readers")
struct SimulatorTests {
    private static let rate = 48_000

    private func tone(_ profile: AcousticProfile, seconds: Double) -> [Int16] {
        let half = Double(Self.rate) / profile.tone.frequency / 2
        return (0..<Int(seconds * Double(Self.rate))).map {
            Int(Double($0) / half) % 2 == 0 ? 32_000 : -32_000
        }
    }

    private func burst(_ profile: AcousticProfile, _ bytes: [UInt8]) -> [Int16] {
        AcousticModulator(profile: profile, sampleRate: Self.rate).samples(for: bytes)
    }

    private func message(_ sounds: [[Int16]], _ profile: AcousticProfile) -> [BurstCollector.Message] {
        var demodulator = AcousticDemodulator(profile: profile, sampleRate: Self.rate)
        return ModemSounds.heard(sounds.flatMap { $0 } + Array(repeating: 0, count: 9_600), &demodulator)
    }

    @Test(
        "a Shuttle powers up, answers, takes a swipe on request, and dies without its tone",
        arguments: AcousticProfile.uniMagProfiles)
    func uniMag(profile: AcousticProfile) throws {
        var reader = ReaderSimulator(.uniMag(profile), rate: Self.rate)
        var generator = SeededGenerator(state: 3)
        let packet = SimulatedPackets.uniMag(&generator)
        let early = reader.hear(burst(profile, UniMagCommand.version.bytes) + tone(profile, seconds: 0.5))
        #expect(early.isEmpty)
        #expect(reader.isPoweredUp)
        #expect(isRefused(&reader, packet))
        let version = reader.hear(burst(profile, UniMagCommand.version.bytes) + tone(profile, seconds: 0.1))
        #expect(
            message(version, profile).map(UniMagMessage.init) == [.answer(Array("SIMULATED SHUTTLE".utf8))])
        let agreed = reader.hear(
            burst(profile, UniMagCommand.requestSwipe.bytes) + tone(profile, seconds: 0.1))
        #expect(message(agreed, profile).map(UniMagMessage.init) == [.agreed])
        let sound = reader.swipe(packet)
        let swipe = try #require(sound)
        #expect(message([swipe], profile).map(\.bytes) == [packet])
        #expect(isRefused(&reader, packet))
        _ = reader.hear(burst(profile, UniMagCommand.requestSwipe.bytes) + tone(profile, seconds: 0.1))
        #expect(reader.awaitsSwipe)
        _ = reader.hear(burst(profile, UniMagCommand.cancelSwipe.bytes) + tone(profile, seconds: 0.1))
        #expect(!reader.awaitsSwipe)
        _ = reader.hear(Array(repeating: 0, count: Self.rate / 2))
        #expect(!reader.isPoweredUp)
        #expect(
            reader.commands == [
                UniMagCommand.version.bytes, UniMagCommand.requestSwipe.bytes,
                UniMagCommand.requestSwipe.bytes,
                UniMagCommand.cancelSwipe.bytes,
            ])
    }

    private func isRefused(_ reader: inout ReaderSimulator, _ packet: [UInt8]) -> Bool {
        reader.swipe(packet) == nil
    }

    @Test("an IPS reader answers its own wake-up and not the other's")
    func battery() throws {
        let profiles = [AcousticProfile.ips, .ipsEnterprise]
        for own in profiles {
            for asked in profiles {
                var reader = ReaderSimulator(.battery(own), rate: Self.rate)
                let sounds = reader.hear(
                    tone(asked, seconds: 0.3) + burst(asked, IPSMessage.wakeUp)
                        + Array(repeating: 0, count: 4_800))
                let isAwake = message(sounds, asked).map(IPSMessage.init) == [.awake]
                #expect(isAwake == (own == asked))
            }
        }
        var reader = ReaderSimulator(.battery(.ips), rate: Self.rate)
        var generator = SeededGenerator(state: 3)
        let packet = SimulatedPackets.ips(&generator)
        let sound = reader.swipe(packet)
        #expect(message([try #require(sound)], .ips).map(\.bytes) == [packet])
    }

    @Test("a headphone echoes and says nothing; silence is silent")
    func strangers() {
        for profile in AcousticProfile.standard {
            let played =
                tone(profile, seconds: 0.2) + burst(profile, UniMagCommand.version.bytes)
                + tone(profile, seconds: 0.1)
            var headphone = ReaderSimulator(.headphone, rate: Self.rate)
            #expect(
                message(headphone.hear(played), profile).allSatisfy {
                    if case .answer = UniMagMessage($0) { false } else { IPSMessage($0) != .awake }
                })
            var silence = ReaderSimulator(.silence, rate: Self.rate)
            let nothing = silence.hear(played)
            #expect(nothing.isEmpty)
        }
    }
}
