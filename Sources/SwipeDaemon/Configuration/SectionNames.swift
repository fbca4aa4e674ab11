/// What no two sections of different kinds may have in common.
///
/// A name under `[reader]` may be another section's: both then name what is at that port (`docs/decisions/0740`).
enum SectionNames {
    private enum Family: Hashable {
        /// Called by their sections' names, which commands take.
        case named
        /// Called `virtual-NAME`.
        case virtual

        init?(_ kind: String) {
            switch kind {
            case "audio-reader", "serial-reader": self = .named
            case "virtual-hid", "virtual-audio", "virtual-serial", "virtual-keyboard": self = .virtual
            case _: return nil
            }
        }
    }

    private struct Name: Hashable {
        var family: Family
        var name: String
    }

    /// A fault for each section whose name one of another kind had first. A section may stand in several files.
    static func faults(in sections: [SettingSection]) -> [ConfigurationError] {
        var kinds: [Name: String] = [:]
        var told: Set<[String]> = []
        var faults: [ConfigurationError] = []
        for section in sections where section.words.count == 2 {
            let (kind, text) = (section.words[0], section.words[1])
            guard let family = Family(kind) else { continue }
            let first = kinds[Name(family: family, name: text), default: kind]
            kinds[Name(family: family, name: text)] = first
            guard first != kind, told.insert(section.words).inserted else { continue }
            faults.append(
                ConfigurationError(
                    place: "\(section.place)", reason: reason(family, text, "[\(first) \(text)]")))
        }
        return faults
    }

    private static func reason(_ family: Family, _ name: String, _ other: String) -> String {
        switch family {
        case .named:
            "\(other) calls its reader '\(name)' already: give one of the two sections another name"
        case .virtual:
            "\(other) is the reader virtual-\(name) already: give one of the two sections another name"
        }
    }
}
