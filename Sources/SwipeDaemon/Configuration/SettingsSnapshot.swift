package import Configuration

/// The settings of one file, as a snapshot for swift-configuration, which layers files over each other.
package struct SettingsSnapshot: FileConfigSnapshot {
    /// The file's name, which the settings' places carry.
    package struct ParsingOptions: FileParsingOptions {
        package var file: String
        package init(file: String) { self.file = file }
        package static let `default` = ParsingOptions(file: "configuration")
    }

    package let providerName: String
    let content: SettingsFile
    private let values: [[String]: String]

    /// Reads and checks a file. What is wrong with it is in its ``content``, for the code that reads all files.
    package init(data: RawSpan, providerName: String, parsingOptions: ParsingOptions) {
        let file = parsingOptions.file
        let text = data.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        // What is not UTF-8 was replaced, by a character of three bytes.
        if !data.withUnsafeBytes({ text.utf8.elementsEqual($0) }) {
            let place = "\(Self.firstReplacement(text, file))"
            let error = ConfigurationError(place: place, reason: "it is not UTF-8")
            self.init(SettingsFile(error: error), providerName: providerName)
            return
        }
        self.init(SettingsFile(text, file: file), providerName: providerName)
    }

    private static func firstReplacement(_ text: String, _ file: String) -> SettingPlace {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let line = lines.firstIndex { Substring($0).unicodeScalars.contains("\u{FFFD}") } ?? 0
        return SettingPlace(file: file, line: line + 1)
    }

    init(_ content: SettingsFile, providerName: String) {
        self.providerName = providerName
        self.content = content
        values = Dictionary(content.settings.map { ($0.section + [$0.key], $0.value) }) { _, last in last }
    }

    package func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let value = values[key.components].flatMap { Self.content($0, type) }
        return LookupResult(
            encodedKey: key.components.joined(separator: "."),
            value: value.map { ConfigValue($0, isSecret: false) })
    }

    /// The text has been checked to be of its setting's kind, so nothing is lost here.
    private static func content(_ text: String, _ type: ConfigType) -> ConfigContent? {
        switch type {
        case .string: .string(text)
        case .int: Int(text).map(ConfigContent.int)
        case .double: Double(text).map(ConfigContent.double)
        case .bool: SettingKind.flag(text).map(ConfigContent.bool)
        case .bytes, .stringArray, .intArray, .doubleArray, .boolArray, .byteChunkArray: nil
        }
    }

    package var description: String { "\(providerName)[\(content.settings.count) settings]" }
    package var debugDescription: String { description }
}
