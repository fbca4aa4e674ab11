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

/// Where a section of a configuration file begins.
struct SettingSection: Sendable, Hashable {
    /// `["virtual-hid", "demo"]` for `[virtual-hid demo]`.
    var words: [String]
    var place: SettingPlace
    /// Whether something in it is wrong. What follows from that is not a further fault.
    var isFaulty = false
}

/// A configuration file as the settings in it, and all that is wrong with them.
struct SettingsFile: Sendable {
    /// Longer files are refused; no honest configuration comes near it.
    static let maximumBytes = 256 * 1024

    /// In the order in which they stand there. A drop-in may well say again what another file says.
    private(set) var settings: [Setting] = []
    private(set) var sections: [SettingSection] = []
    private(set) var errors: [ConfigurationError] = []

    /// Reads a file's text.
    init(_ text: String, file: String) {
        let content = SectionFile(reading: text, form: .any, maximumBytes: SettingsFile.maximumBytes)
        var faults = content.faults
        for (index, section) in content.sections.enumerated() {
            // Also of one with nothing in it: its lines may be commented out, and its name a slip all the same.
            if let reason = SettingsCheck.fault(inSection: section.words) {
                faults.append(SectionFault(line: section.line, reason: reason))
                continue
            }
            let end = index + 1 < content.sections.count ? content.sections[index + 1].line : Int.max
            var isFaulty = faults.contains { (section.line..<end).contains($0.line) }
            for entry in section.entries {
                let setting = Setting(
                    section: section.words, key: entry.key, value: entry.value,
                    place: SettingPlace(file: file, line: entry.line))
                if let reason = SettingsCheck.fault(in: setting) {
                    faults.append(SectionFault(line: entry.line, reason: reason))
                    isFaulty = true
                }
                settings.append(setting)
            }
            let place = SettingPlace(file: file, line: section.line)
            sections.append(SettingSection(words: section.words, place: place, isFaulty: isFaulty))
        }
        errors = faults.sorted { $0.line < $1.line }.map {
            ConfigurationError(place: "\(SettingPlace(file: file, line: $0.line))", reason: $0.reason)
        }
    }

    /// Reads a file's bytes.
    init(_ bytes: [UInt8], file: String) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .firstIndex { String(validating: $0, as: UTF8.self) == nil }
            let place = SettingPlace(file: file, line: (line ?? 0) + 1)
            self.init(error: ConfigurationError(place: "\(place)", reason: "it is not UTF-8"))
            return
        }
        self.init(text, file: file)
    }

    /// A file that cannot be read as text.
    init(error: ConfigurationError) { errors = [error] }
}
