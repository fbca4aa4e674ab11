import AudioReaders
package import ReaderKit
import SectionFiles

/// The acoustic profiles that come with the daemon, and those of a file.
extension ReaderCatalog {
    /// Why a file gives no profiles.
    package struct ProfileFault: Error, Sendable, Hashable {
        package var line: Int
        package var reason: String
    }

    /// Those that come with the daemon. All of them are assumptions.
    package static var acousticProfiles: [AcousticProfile] { AcousticProfile.standard }

    /// Reads a profile file.
    package static func acousticProfiles(in text: String) -> Result<[AcousticProfile], ProfileFault> {
        do throws(AcousticProfileFile.Failure) {
            return .success(try AcousticProfileFile(text).profiles)
        } catch {
            return .failure(ProfileFault(line: error.line, reason: error.reason))
        }
    }
}
