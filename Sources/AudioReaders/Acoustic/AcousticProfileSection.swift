import ReaderKit

/// What one section of a profile file says.
struct AcousticProfileSection {
    typealias Failure = AcousticProfileFile.Failure

    var name: String
    var line: Int
    private var values: [String: (text: String, line: Int)] = [:]

    private static let keys = [
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

    init(name: String, line: Int) {
        self.name = name
        self.line = line
    }

    mutating func set(_ content: Substring, line: Int) throws(Failure) {
        guard let equals = content.firstIndex(of: "=") else {
            throw Failure(line: line, reason: "not a setting: write key = value")
        }
        let key = String(AcousticProfileFile.trim(content[..<equals]))
        guard Self.keys.contains(key) else {
            throw Failure(
                line: line, reason: "unknown key '\(key)'; known: \(Self.keys.joined(separator: ", "))")
        }
        values[key] = (String(AcousticProfileFile.trim(content[content.index(after: equals)...])), line)
    }

    /// The profile, over what it is like: a profile of the daemon's or one further up in the file.
    func profile(after others: [AcousticProfile]) throws(Failure) -> AcousticProfile {
        var profile = try model(others)
        profile.name = name
        profile.reader = try choice("reader", otherwise: profile.reader)
        profile.tone.frequency = try number("tone", Self.tones, otherwise: profile.tone.frequency)
        profile.tone.waveform = try choice("waveform", otherwise: profile.tone.waveform)
        profile.tone.channels = try choice("channels", otherwise: profile.tone.channels)
        profile.tone.level = try number("level", 0...1, otherwise: profile.tone.level)
        profile.power = try choice("power", otherwise: profile.power)
        let powerUp = try number("power_up_ms", Self.powerUps, otherwise: profile.powerUp / .milliseconds(1))
        profile.powerUp = .microseconds(Int64(powerUp * 1_000))
        profile.code = try choice("code", otherwise: profile.code)
        profile.baud = try integer("baud", Self.bauds, otherwise: profile.baud)
        profile.parity = try choice("parity", otherwise: profile.parity)
        profile.commandPolarity = try choice("command_polarity", otherwise: profile.commandPolarity)
        profile.replyPolarity = try choice("reply_polarity", otherwise: profile.replyPolarity)
        profile.commandLevel = try number("command_level", 0...1, otherwise: profile.commandLevel)
        profile.preambleBits = try integer("preamble_bits", Self.preambles, otherwise: profile.preambleBits)
        profile.gapBits = try integer("gap_bits", Self.gaps, otherwise: profile.gapBits)
        profile.quietestSwing = try number("quietest_swing", 0...2, otherwise: profile.quietestSwing)
        profile.overNoise = try number("over_noise", 1...100, otherwise: profile.overNoise)
        profile.captureRate = try integer("capture_rate", Self.rates, otherwise: profile.captureRate)
        profile.playbackRate = try integer("playback_rate", Self.rates, otherwise: profile.playbackRate)
        return profile
    }

    private func model(_ others: [AcousticProfile]) throws(Failure) -> AcousticProfile {
        let known = others.reversed() + AcousticProfile.standard
        if let like = values["like"]?.text {
            guard let model = known.first(where: { $0.name == like }) else {
                throw fault("like", "no profile of that name further up or among the daemon's")
            }
            return model
        }
        let reader = try choice("reader", otherwise: AcousticProfile.Reader.unimag)
        guard
            let model = known.first(where: { $0.name == name }) ?? known.first(where: { $0.reader == reader })
        else { throw fault("reader", "write like = NAME") }
        return model
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, otherwise: Choice
    ) throws(Failure) -> Choice {
        guard let text = values[key]?.text else { return otherwise }
        guard let choice = Choice(rawValue: text) else {
            throw fault(key, "write one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    private func integer(
        _ key: String, _ range: ClosedRange<Int>, otherwise: Int
    ) throws(Failure) -> Int {
        guard let text = values[key]?.text else { return otherwise }
        guard let value = Int(text), range.contains(value) else {
            throw fault(key, "write a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private func number(
        _ key: String, _ range: ClosedRange<Double>, otherwise: Double
    ) throws(Failure) -> Double {
        guard let text = values[key]?.text else { return otherwise }
        guard let value = Double(text), range.contains(value) else {
            throw fault(key, "write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private func fault(_ key: String, _ reason: String) -> Failure {
        Failure(line: values[key]?.line ?? line, reason: "[profile \(name)] \(key): \(reason)")
    }
}
