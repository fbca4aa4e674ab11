/// Holds settings against the catalogue, so that a slip of the pen is found before anything starts.
enum SettingsCheck {
    static func check(_ settings: [Setting]) throws(ConfigurationError) {
        for setting in settings {
            let known = try description(of: setting)
            // An empty value puts a setting back to having none, where none is what it may have.
            if setting.value.isEmpty,
                known.defaultValue == "" || known.kind == .principals || known.kind == .message
            {
                continue
            }
            if let fault = known.kind.fault(in: setting.value) {
                throw ConfigurationError(
                    place: "\(setting.place)",
                    reason: "'\(setting.value)' does not fit \(setting.key): \(fault)")
            }
        }
    }

    private static func description(of setting: Setting) throws(ConfigurationError) -> SettingDescription {
        let section = setting.section[0]
        let sections = Set(SettingsCatalogue.settings.map(\.section))
        guard sections.contains(section) else {
            throw unknown("section", section, among: sections, setting)
        }
        let isNamed = SettingsCatalogue.namedSections.contains(section)
        guard isNamed == (setting.section.count == 2) else {
            let form = isNamed ? "[\(section) NAME]" : "[\(section)]"
            throw ConfigurationError(place: "\(setting.place)", reason: "this section is written \(form)")
        }
        if isNamed, !isReaderName(setting.section[1]) {
            throw ConfigurationError(
                place: "\(setting.place)",
                reason: "'\(setting.section[1])' is no name: use up to 32 letters, digits, '-' and '_'")
        }
        guard let known = SettingsCatalogue.find(section, setting.key) else {
            let keys = Set(SettingsCatalogue.settings.filter { $0.section == section }.map(\.key))
            throw unknown("key", setting.key, among: keys, setting)
        }
        return known
    }

    private static func unknown(
        _ what: String, _ name: String, among known: Set<String>, _ setting: Setting
    ) -> ConfigurationError {
        ConfigurationError(
            place: "\(setting.place)",
            reason: "unknown \(what) '\(name)'; known here: \(known.sorted().joined(separator: ", "))")
    }

    private static func isReaderName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
