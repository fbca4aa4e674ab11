import ReaderKit
import SectionFiles

/// What one section of a profile file says.
struct AcousticProfileSection {
    static let keys = [
        "reader", "like", "tone", "waveform", "channels", "level", "power", "power_up_ms", "code", "baud",
        "parity", "command_polarity", "reply_polarity", "command_level", "preamble_bits", "gap_bits",
        "quietest_swing", "over_noise", "capture_rate", "playback_rate",
    ]
    private static let tones = 100.0...24_000
    private static let powerUps = 10...10_000.0
    private static let bauds = 300...19_200
    private static let rates = 8_000...192_000
    /// A gap shorter than a byte would not set a reader's clock right.
    private static let gaps = 2...1_000
    private static let preambles = 16...4_000

    let section: NamedSection

    /// The profile, over what it is like: a profile of the daemon's or one further up in the file.
    func profile(after others: [AcousticProfile]) throws(SectionFault) -> AcousticProfile {
        var profile = try model(others)
        profile.name = section.name
        profile.reader = try section.choice("reader", otherwise: profile.reader)
        profile.tone.frequency = try section.number("tone", Self.tones, otherwise: profile.tone.frequency)
        profile.tone.waveform = try section.choice("waveform", otherwise: profile.tone.waveform)
        profile.tone.channels = try section.choice("channels", otherwise: profile.tone.channels)
        profile.tone.level = try section.number("level", 0...1, otherwise: profile.tone.level)
        profile.power = try section.choice("power", otherwise: profile.power)
        let powerUp = try section.number(
            "power_up_ms", Self.powerUps, otherwise: profile.powerUp / .milliseconds(1))
        profile.powerUp = .microseconds(Int64(powerUp * 1_000))
        profile.code = try section.choice("code", otherwise: profile.code)
        profile.baud = try section.integer("baud", Self.bauds, otherwise: profile.baud)
        profile.parity = try section.choice("parity", otherwise: profile.parity)
        profile.commandPolarity = try section.choice("command_polarity", otherwise: profile.commandPolarity)
        profile.replyPolarity = try section.choice("reply_polarity", otherwise: profile.replyPolarity)
        profile.commandLevel = try section.number("command_level", 0...1, otherwise: profile.commandLevel)
        profile.preambleBits = try section.integer(
            "preamble_bits", Self.preambles, otherwise: profile.preambleBits)
        profile.gapBits = try section.integer("gap_bits", Self.gaps, otherwise: profile.gapBits)
        profile.quietestSwing = try section.number("quietest_swing", 0...2, otherwise: profile.quietestSwing)
        profile.overNoise = try section.number("over_noise", 1...100, otherwise: profile.overNoise)
        profile.captureRate = try section.integer("capture_rate", Self.rates, otherwise: profile.captureRate)
        profile.playbackRate = try section.integer(
            "playback_rate", Self.rates, otherwise: profile.playbackRate)
        return profile
    }

    private func model(_ others: [AcousticProfile]) throws(SectionFault) -> AcousticProfile {
        let known = others.reversed() + AcousticProfile.standard
        if let like = section.text("like") {
            guard let model = known.first(where: { $0.name == like }) else {
                throw section.fault("like", "no profile of that name further up or among the daemon's")
            }
            return model
        }
        let reader = try section.choice("reader", otherwise: AcousticProfile.Reader.unimag)
        guard
            let model = known.first(where: { $0.name == section.name })
                ?? known.first(where: { $0.reader == reader })
        else { throw section.fault("reader", "write like = NAME") }
        return model
    }
}
