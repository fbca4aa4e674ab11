// modem-bench [COUNT [DECIBELS]]: how many packets come through the modem, over a channel with noise, an offset that
// wanders and a clock that is off. Built for release: `swift run -c release modem-bench 1000`.
import AudioReaders
import ReaderKit
import ReaderTesting

let arguments = CommandLine.arguments.dropFirst().map { Double($0) ?? 0 }
let count = Int(arguments.first ?? 1_000)
let decibels = arguments.count > 1 ? arguments[1] : 20

for code in AcousticProfile.LineCode.allCases {
    for baud in [9_600, 4_800, 2_400] {
        for rate in [48_000, 44_100] {
            var profile = code == .manchester ? AcousticProfile.ips : AcousticProfile.uniMagProfiles[0]
            profile.code = code
            profile.baud = baud
            var trial = ModemTrial(profile: profile, rate: rate)
            trial.signalToNoiseDecibels = decibels
            let outcome = trial.run(count)
            let share = Double(outcome.right * 10_000 / max(1, outcome.sent)) / 100
            print(
                "\(code.rawValue) \(baud) baud \(rate) Hz \(decibels) dB: sent \(outcome.sent), right \(outcome.right) "
                    + "(\(share) %), wrong \(outcome.wrong)")
        }
    }
}
