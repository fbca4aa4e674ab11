package import ReaderKit

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
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        package var line: Int
        package var reason: String

        /// `line N: what is wrong and what is allowed`.
        package var description: String { "line \(line): \(reason)" }
    }

    /// Longer files are refused.
    package static let maximumBytes = 64 * 1_024
    package static let mostProfiles = 64

    package let profiles: [AcousticProfile]

    /// Reads the profiles of a file's text, in the order in which they stand there.
    package init(_ text: String) throws(Failure) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw Failure(line: 1, reason: "longer than \(Self.maximumBytes) bytes")
        }
        var sections: [AcousticProfileSection] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = Self.trim(line)
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[" {
                sections.append(try Self.section(content, line: index + 1, among: sections))
            } else {
                guard !sections.isEmpty else {
                    throw Failure(line: index + 1, reason: "a setting before the first [profile NAME]")
                }
                try sections[sections.count - 1].set(content, line: index + 1)
            }
        }
        guard !sections.isEmpty else { throw Failure(line: 1, reason: "no [profile NAME] in it") }
        var profiles: [AcousticProfile] = []
        for section in sections { profiles.append(try section.profile(after: profiles)) }
        self.profiles = profiles
    }

    /// The daemon's own profiles with these in them: in the place of those of the same name, the others before
    /// those of their reader.
    package func added(to known: [AcousticProfile] = AcousticProfile.standard) -> [AcousticProfile] {
        let replaced = known.map { old in profiles.last { $0.name == old.name } ?? old }
        return profiles.filter { new in !known.contains { $0.name == new.name } } + replaced
    }

    private static func section(
        _ line: Substring, line number: Int, among sections: [AcousticProfileSection]
    ) throws(Failure) -> AcousticProfileSection {
        let words = line.dropFirst().dropLast().split(whereSeparator: \.isWhitespace)
        guard line.last == "]", words.count == 2, words[0] == "profile" else {
            throw Failure(line: number, reason: "not a section: write [profile NAME]")
        }
        let name = String(words[1])
        guard !sections.contains(where: { $0.name == name }) else {
            throw Failure(line: number, reason: "there is a profile '\(name)' already")
        }
        guard sections.count < mostProfiles else {
            throw Failure(line: number, reason: "more than \(mostProfiles) profiles")
        }
        return AcousticProfileSection(name: name, line: number)
    }

    static func trim(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
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
