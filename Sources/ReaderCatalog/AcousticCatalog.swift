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

    /// What a profile file says.
    package struct ProfileFile: Sendable, Hashable {
        /// The profiles of the file, in its order.
        package var own: [AcousticProfile]
        /// The daemon's own with these in them: in the place of those of the same name, the others before those.
        package var all: [AcousticProfile]
    }

    /// Those that come with the daemon. All of them are assumptions.
    package static var acousticProfiles: [AcousticProfile] { AcousticProfile.standard }

    /// Reads a profile file.
    package static func acousticProfiles(in text: String) -> Result<ProfileFile, ProfileFault> {
        do throws(AcousticProfileFile.Failure) {
            let file = try AcousticProfileFile(text)
            return .success(ProfileFile(own: file.profiles, all: file.added()))
        } catch {
            return .failure(ProfileFault(line: error.line, reason: error.reason))
        }
    }
}
