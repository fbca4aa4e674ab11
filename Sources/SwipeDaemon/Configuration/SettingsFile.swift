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

/// The syntax of a configuration file:
/// ```
/// # a comment
/// [section]            or   [section name]
/// key = value          the value runs to the end of the line, spaces at both ends removed
/// ```
/// Chosen over TOML and JSON because every operator knows it from systemd's files, and because each value then
/// has a line of its own to be named in an error.
enum SettingsFile {
    /// Longer files are refused; no honest configuration comes near it.
    static let maximumBytes = 256 * 1024

    /// Reads the settings of a file's text, in the order in which they stand there.
    static func parse(_ text: String, file: String) throws(ConfigurationError) -> [Setting] {
        guard text.utf8.count <= maximumBytes else {
            throw ConfigurationError(place: file, reason: "longer than \(maximumBytes) bytes")
        }
        var settings: [Setting] = []
        var section: [String] = []
        var header: SettingPlace?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let place = SettingPlace(file: file, line: index + 1)
            let content = trim(line)
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[" {
                try refuseEmpty(section, header)
                section = try Self.header(content, place)
                header = place
            } else {
                let (key, value) = try assignment(content, place)
                header = nil
                guard !section.isEmpty else {
                    throw ConfigurationError(
                        place: "\(place)", reason: "'\(key)' stands before the first [section]")
                }
                let setting = Setting(section: section, key: key, value: value, place: place)
                try refuseSecond(setting, after: settings)
                settings.append(setting)
            }
        }
        try refuseEmpty(section, header)
        return settings
    }

    /// Which of two lines was meant, only its author knows. A drop-in may well say it again.
    private static func refuseSecond(
        _ setting: Setting, after settings: [Setting]
    ) throws(ConfigurationError) {
        guard
            let first = settings.first(where: { $0.section == setting.section && $0.key == setting.key })
        else { return }
        throw ConfigurationError(
            place: "\(setting.place)", reason: "'\(setting.key)' stands in line \(first.place.line) already")
    }

    /// A section with a name makes something, and of nothing cannot. One without may have all its lines commented out.
    ///
    /// - Parameter header: where the section begins; nil where something stands in it.
    private static func refuseEmpty(_ section: [String], _ header: SettingPlace?) throws(ConfigurationError) {
        guard section.count == 2, let header else { return }
        throw ConfigurationError(
            place: "\(header)", reason: "[\(section.joined(separator: " "))] has nothing in it")
    }

    private static func header(
        _ line: Substring, _ place: SettingPlace
    ) throws(ConfigurationError) -> [String] {
        let words = line.dropFirst().dropLast().split(whereSeparator: \.isWhitespace).map(String.init)
        guard line.last == "]", (1...2).contains(words.count) else {
            throw ConfigurationError(
                place: "\(place)", reason: "not a section: write [section] or [section name]")
        }
        return words
    }

    private static func assignment(
        _ line: Substring, _ place: SettingPlace
    ) throws(ConfigurationError) -> (key: String, value: String) {
        guard let equals = line.firstIndex(of: "=") else {
            throw ConfigurationError(place: "\(place)", reason: "not a setting: write key = value")
        }
        let key = trim(line[..<equals])
        guard !key.isEmpty else { throw ConfigurationError(place: "\(place)", reason: "no key before '='") }
        return (String(key), String(trim(line[line.index(after: equals)...])))
    }

    private static func trim(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
