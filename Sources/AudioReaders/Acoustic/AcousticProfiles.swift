package import ReaderKit

/// The profiles that come with the daemon. No reader was at hand for any of them.
extension AcousticProfile {
    /// UniMag and Shuttle, in the order in which ID TECH's own configuration search tries them.
    ///
    /// Public (ID TECH's configuration file for telephones, uniMag.h): the baud rates, the sample rates, the polarity of
    /// what is played, the power-up time of mostly 500 ms, that the tone must be loud, steady and in stereo.
    ///
    /// ASSUMPTION, all else:
    /// - tone: a square of 6 kHz, which playback at 48 and at 24 kHz holds in whole samples; patents and measurements
    ///   of other readers tell of a loud, square-like tone on both channels
    /// - opposed channels: the maker's library refuses a telephone that mixes to mono
    /// - line code UART: 9600 baud at 48 kHz are 5 samples a bit, and the bytes are an asynchronous stream
    /// - preamble: alternating bits, long enough to outlast an unsteady offset of the input (US patent 8,925,817)
    package static let uniMagProfiles: [AcousticProfile] = [
        uniMag(.inverted, 48_000, 48_000, 9_600), uniMag(.inverted, 44_100, 48_000, 9_600),
        uniMag(.normal, 32_000, 24_000, 9_600), uniMag(.inverted, 48_000, 24_000, 9_600),
        uniMag(.inverted, 44_100, 24_000, 9_600),
        uniMag(.inverted, 22_050, 48_000, 4_800), uniMag(.inverted, 32_000, 48_000, 4_800),
        uniMag(.inverted, 32_000, 24_000, 4_800),
        uniMag(.inverted, 16_000, 48_000, 2_400),
    ]

    /// ASSUMPTION: direction 1 of the configuration file is the inverted wave.
    private static func uniMag(
        _ commands: Polarity, _ capture: Int, _ playback: Int, _ baud: Int
    ) -> AcousticProfile {
        let direction = commands == .inverted ? 1 : 0
        return AcousticProfile(
            name: "unimag-\(baud)-\(capture)-\(playback)-\(direction)", reader: .unimag,
            tone: PowerTone(frequency: 6_000, waveform: .square, channels: .opposed),
            power: .steady, powerUp: .milliseconds(500), code: .uart, baud: baud, commandPolarity: commands,
            preambleBits: 160, captureRate: capture, playbackRate: playback)
    }

    /// The IPS encrypted card reader.
    ///
    /// Public (an open client of a reader that is called alike, the SDK's guide): Manchester pulses with a start bit, a
    /// wake-up byte 0C, a battery, a "short, loud tone". ASSUMPTION: the rest.
    package static let ips = battery("ips", .ips, 4_800)

    /// The IPS Enterprise encrypted card reader. ASSUMPTION: nothing at all is public. It is taken to be the same at twice
    /// the speed, without which the two could not be told apart.
    package static let ipsEnterprise = battery("ips-enterprise", .ipsEnterprise, 9_600)

    private static func battery(_ name: String, _ reader: Reader, _ baud: Int) -> AcousticProfile {
        AcousticProfile(
            name: name, reader: reader,
            tone: PowerTone(frequency: 6_000, waveform: .square, channels: .both),
            power: .wakeUp, powerUp: .milliseconds(500), code: .manchester, baud: baud,
            preambleBits: 64, captureRate: 44_100, playbackRate: 44_100)
    }

    /// All of them: UniMag's first.
    package static let standard: [AcousticProfile] = uniMagProfiles + [ips, ipsEnterprise]
}
