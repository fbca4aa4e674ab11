import AudioReaders
import JackBench
import ReaderKit
import ReaderTesting
import Testing

@Suite("The loop through libasound with a simulated reader", .timeLimit(.minutes(3)), .serialized)
struct JackLoopTests {
    @Test(
        "power-up, command and swipe: every packet arrives as it was sent",
        arguments: [AcousticProfile.uniMagProfiles[0], .ips, .ipsEnterprise],
        [
            (9_600, 48_000), (9_600, 44_100), (4_800, 48_000), (4_800, 44_100), (2_400, 48_000),
            (2_400, 44_100),
        ])
    func swipes(kind: AcousticProfile, speed: (baud: Int, rate: Int)) async throws {
        var profile = kind
        profile.baud = speed.baud
        let outcome = try await JackTrial(profile: profile, rate: speed.rate, speed: 2).run(2).outcome
        #expect(outcome == ModemTrial.Outcome(sent: 2, right: 2, wrong: 0))
    }
}
