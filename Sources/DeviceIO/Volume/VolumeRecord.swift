/// The volume of a card before it was raised, as a file of a few lines:
///
///     control hw:CARD=PCH
///     element 0 Headphone         its number among those of the name, then the name
///     volumes 40 40               of the element above, a channel each; none of a neighbour
///     switches on on
struct VolumeRecord: Hashable, Sendable {
    static let maximumBytes = 16 * 1_024
    private static let maximumLines = 512
    private static let maximumSettings = 64

    var control: String
    var settings: [VolumeSetting]

    init(control: String, settings: [VolumeSetting]) {
        self.control = control
        self.settings = settings
    }

    /// Adds elements that it does not tell of yet.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    mutating func add(_ others: [VolumeSetting]) -> Bool {
        let before = settings.count
        for setting in others where settings.count < Self.maximumSettings {
            guard !settings.contains(where: { $0.name == setting.name && $0.index == setting.index }) else {
                continue
            }
            settings.append(setting)
        }
        return settings.count > before
    }

    var text: String {
        var lines = ["control \(control)"]
        for setting in settings {
            lines.append("element \(setting.index) \(setting.name)")
            if !setting.volumes.isEmpty {
                lines.append("volumes " + setting.volumes.map(String.init).joined(separator: " "))
            }
            lines.append("switches " + setting.switches.map { $0 ? "on" : "off" }.joined(separator: " "))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Nil for what is no record: a file that was cut short must not set a volume.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, text.hasSuffix("\n") else { return nil }
        let lines = text.split(separator: "\n").prefix(Self.maximumLines)
        guard let first = lines.first, let control = Self.rest(first, after: "control ") else { return nil }
        self.control = control
        settings = []
        for line in lines.dropFirst() { guard add(line) else { return nil } }
        guard settings.contains(where: { !$0.volumes.isEmpty }),
            settings.allSatisfy({ !$0.volumes.isEmpty || $0.switches.contains(true) })
        else { return nil }
    }

    private mutating func add(_ line: Substring) -> Bool {
        if let element = Self.rest(line, after: "element ") {
            let words = element.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let index = UInt32(words[0]), settings.count < Self.maximumSettings else {
                return false
            }
            settings.append(
                VolumeSetting(name: String(words[1]), index: index, volumes: [], switches: []))
            return true
        }
        guard !settings.isEmpty else { return false }
        let last = settings.count - 1
        if let text = Self.rest(line, after: "volumes ") {
            let words = text.split(separator: " ").prefix(MixerHandle.maximumChannels)
            settings[last].volumes = words.compactMap { Int($0) }
            return settings[last].volumes.count == words.count
        }
        guard line.hasPrefix("switches") else { return false }
        let words = line.split(separator: " ").dropFirst().prefix(MixerHandle.maximumChannels)
        settings[last].switches = words.map { $0 == "on" }
        return words.allSatisfy { $0 == "on" || $0 == "off" }
    }

    private static func rest(_ line: Substring, after start: String) -> String? {
        guard line.hasPrefix(start), line.count > start.count else { return nil }
        return String(line.dropFirst(start.count))
    }
}
