/// Holds settings against the catalogue, so that a slip of the pen is found before anything starts.
enum SettingsCheck {
    /// What is wrong with a setting of a section that there is; nil when it is fine.
    static func fault(in setting: Setting) -> String? {
        let section = setting.section[0]
        guard let known = SettingsCatalogue.find(section, setting.key) else {
            let keys = Set(SettingsCatalogue.settings.filter { $0.section == section }.map(\.key))
            return unknown("key", setting.key, among: keys)
        }
        // An empty value puts a setting back to having none, where none is what it may have.
        if setting.value.isEmpty,
            known.defaultValue == "" || known.kind == .principals || known.kind == .message
        {
            return nil
        }
        return known.kind.fault(in: setting.value).map {
            "'\(setting.value)' does not fit \(setting.key): \($0)"
        }
    }

    /// Why there is no such section; nil where there is.
    static func fault(inSection words: [String]) -> String? {
        let sections = Set(SettingsCatalogue.settings.map(\.section))
        guard let section = words.first, sections.contains(section) else {
            return unknown("section", words.joined(separator: " "), among: sections)
        }
        let isNamed = SettingsCatalogue.namedSections.contains(section)
        guard isNamed == (words.count == 2) else {
            return "this section is written \(isNamed ? "[\(section) NAME]" : "[\(section)]")"
        }
        guard !isNamed || isReaderName(words[1]) else {
            return "'\(words[1])' is not a name: use up to 32 letters, digits, '-' and '_'"
        }
        return nil
    }

    private static func unknown(_ what: String, _ name: String, among known: Set<String>) -> String {
        "unknown \(what) '\(name)'; known here: \(known.sorted().joined(separator: ", "))"
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
