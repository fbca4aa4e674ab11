package import ReaderKit
package import SectionFiles

/// Acoustic profiles of one's own, as data:
/// ```
/// # A Shuttle that answers at half the speed.
/// [profile shuttle-4800]
/// reader = unimag             unimag, ips or ips_enterprise
/// like = unimag-9600-48000-48000-1      what is not said here is as in that profile
/// tone = 6000                 Hz
/// waveform = square           sine or square
/// channels = opposed          left, right, both or opposed
/// level = 1                   of the tone, 0…1
/// power = steady              steady or wake_up
/// power_up_ms = 500           from the tone's beginning to the first command
/// code = uart                 uart, biphase or manchester
/// baud = 4800
/// parity = none               none, even or odd
/// command_polarity = normal   normal or inverted
/// reply_polarity = normal
/// command_level = 1
/// preamble_bits = 160
/// gap_bits = 12
/// quietest_swing = 0.02       of full scale
/// over_noise = 2
/// capture_rate = 48000
/// playback_rate = 48000
/// ```
/// A profile that is named like one of the daemon's takes its place. The syntax is that of the daemon's configuration.
package struct AcousticProfileFile: Sendable, Hashable {
    /// Why a file gives no profiles.
    package typealias Failure = SectionFault

    /// Longer files are refused.
    package static let maximumBytes = 64 * 1_024
    package static let mostProfiles = 64

    package let profiles: [AcousticProfile]

    /// Reads the profiles of a file's text, in the order in which they stand there.
    package init(_ text: String) throws(Failure) {
        let sections = try NamedSection.all(
            "profile", in: text, keys: AcousticProfileSection.keys,
            limits: (Self.maximumBytes, Self.mostProfiles))
        var profiles: [AcousticProfile] = []
        for section in sections {
            profiles.append(try AcousticProfileSection(section: section).profile(after: profiles))
        }
        self.profiles = profiles
    }

    /// These, and behind them the daemon's own but for those of the same names.
    package func added(to known: [AcousticProfile] = AcousticProfile.standard) -> [AcousticProfile] {
        profiles + known.filter { old in !profiles.contains { $0.name == old.name } }
    }
}

extension AcousticProfile {
    /// The profile as a section of a file, every value said.
    package var section: String {
        let values: [(String, String)] = [
            ("reader", reader.rawValue), ("tone", "\(tone.frequency)"), ("waveform", tone.waveform.rawValue),
            ("channels", tone.channels.rawValue), ("level", "\(tone.level)"), ("power", power.rawValue),
            ("power_up_ms", "\(powerUp / .milliseconds(1))"), ("code", code.rawValue), ("baud", "\(baud)"),
            ("parity", parity.rawValue), ("command_polarity", commandPolarity.rawValue),
            ("reply_polarity", replyPolarity.rawValue), ("command_level", "\(commandLevel)"),
            ("preamble_bits", "\(preambleBits)"), ("gap_bits", "\(gapBits)"),
            ("quietest_swing", "\(quietestSwing)"), ("over_noise", "\(overNoise)"),
            ("capture_rate", "\(captureRate)"), ("playback_rate", "\(playbackRate)"),
        ]
        return "[profile \(name)]\n" + values.map { "\($0.0) = \($0.1)\n" }.joined()
    }
}
