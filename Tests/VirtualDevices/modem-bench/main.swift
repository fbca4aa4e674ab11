// How many packets come through the modem, over a channel with noise, an offset that wanders and a clock that is off.
// Built for release:
//
//     SWIPED_BENCHES=1 swift run -c release modem-bench [COUNT [DECIBELS]]      the modem alone, in every line code
//     SWIPED_BENCHES=1 swift run -c release modem-bench loop COUNT SPEED [BAUD] power-up, commands and swipes through libasound
import AudioReaders
import Glibc
import JackBench
import ReaderKit
import ReaderTesting

func report(_ what: String, _ outcome: ModemTrial.Outcome) {
    let share = Double(outcome.right * 10_000 / max(1, outcome.sent)) / 100
    print("\(what): sent \(outcome.sent), right \(outcome.right) (\(share) %), wrong \(outcome.wrong)")
    fflush(nil)
}

func modem(_ count: Int, _ decibels: Double) {
    for code in AcousticProfile.LineCode.allCases {
        for baud in [9_600, 4_800, 2_400] {
            for rate in [48_000, 44_100] {
                var profile = code == .manchester ? AcousticProfile.ips : AcousticProfile.uniMagProfiles[0]
                profile.code = code
                profile.baud = baud
                var trial = ModemTrial(profile: profile, rate: rate)
                trial.signalToNoiseDecibels = decibels
                report("\(code.rawValue) \(baud) baud \(rate) Hz \(decibels) dB", trial.run(count))
            }
        }
    }
}

func loop(_ count: Int, _ speed: Double, _ bauds: [Int]) async {
    for baud in bauds {
        for rate in [48_000, 44_100] {
            for kind in [AcousticProfile.uniMagProfiles[0], .ips] {
                var profile = kind
                profile.baud = baud
                let what = "\(kind.reader.rawValue) \(baud) baud \(rate) Hz through libasound"
                do {
                    let trial = JackTrial(profile: profile, rate: rate, speed: speed)
                    let (outcome, repeated) = try await trial.run(count)
                    report("\(what) (\(repeated) questions repeated)", outcome)
                } catch {
                    print("\(what): \(error)")
                }
            }
        }
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "loop" {
    let numbers = arguments.dropFirst().compactMap { Double($0) }
    await loop(
        Int(numbers.first ?? 100), numbers.count > 1 ? numbers[1] : 1,
        numbers.count > 2 ? [Int(numbers[2])] : [9_600, 4_800, 2_400])
} else {
    let numbers = arguments.compactMap { Double($0) }
    modem(Int(numbers.first ?? 1_000), numbers.count > 1 ? numbers[1] : 20)
}
