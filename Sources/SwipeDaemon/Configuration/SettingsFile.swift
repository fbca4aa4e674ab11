import SectionFiles

/// One `key = value` of a configuration file, and where it stands.
struct Setting: Sendable, Hashable {
    /// The section's words: `["virtual-hid", "demo"]` for `[virtual-hid demo]`.
    var section: [String]
    var key: String
    var value: String
    var place: SettingPlace
}

/// A line of a configuration file.
struct SettingPlace: Sendable, Hashable, CustomStringConvertible {
    var file: String
    var line: Int

    /// `FILE:LINE`, as compilers write it.
    var description: String { "\(file):\(line)" }
}

/// A configuration that must not be used: one line for an operator, with file and place.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package var place: String
    package var reason: String

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    /// `FILE:LINE: what is wrong and what is allowed`.
    package var description: String { "\(place): \(reason)" }
}

/// A configuration file as the settings in it.
enum SettingsFile {
    /// Longer files are refused; no honest configuration comes near it.
    static let maximumBytes = 256 * 1024

    /// Reads the settings of a file's text, in the order in which they stand there. A drop-in may well say again what
    /// another file says.
    static func parse(_ text: String, file: String) throws(ConfigurationError) -> [Setting] {
        do throws(SectionFault) {
            return try settings(SectionFile(text, form: .any, maximumBytes: maximumBytes), file)
        } catch {
            throw ConfigurationError(
                place: "\(SettingPlace(file: file, line: error.line))", reason: error.reason)
        }
    }

    private static func settings(_ content: SectionFile, _ file: String) throws(SectionFault) -> [Setting] {
        var settings: [Setting] = []
        for section in content.sections {
            // Also of one with nothing in it: its lines may be commented out, and its name a slip all the same.
            if let reason = SettingsCheck.fault(inSection: section.words) {
                throw SectionFault(line: section.line, reason: reason)
            }
            settings += section.entries.map { entry in
                Setting(
                    section: section.words, key: entry.key, value: entry.value,
                    place: SettingPlace(file: file, line: entry.line))
            }
        }
        return settings
    }
}
