import AudioReaders
import CardData
import ReaderKit
import ReaderTesting
import WaveformSynthesis

/// Readers for the search for a kind.
enum AutodetectBench {
    static func uniMag(_ baud: Int) -> AcousticProfile {
        var profile =
            AcousticProfile.uniMagProfiles.first { $0.baud == baud } ?? AcousticProfile.uniMagProfiles[0]
        (profile.captureRate, profile.playbackRate) = (48_000, 48_000)
        return profile
    }
}
