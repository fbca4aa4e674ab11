import Glibc

/// Files, pipes and sockets that two settings name: what one of them makes, writes or takes, the other would lose. A file of counters
/// replaces a socket of its name, and then nobody can connect.
enum SharedPaths {
    private struct Use {
        var section: [String]
        var key: String
        var path: String
        /// Nothing is written to it or made of it: others may read it too.
        var isReadAlone: Bool
    }

    private static let readAlone: Set<String> = ["hash_key", "profile_file", "formats"]
    /// Sections of a kind tell of these themselves.
    private static let ownKeys: Set<String> = ["source", "device"]

    /// A fault for each setting whose path another has already.
    static func faults(in reading: ConfigurationReading) -> [ConfigurationError] {
        var uses: [String: Use] = [:]
        var faults: [ConfigurationError] = []
        for use in all(reading) {
            let path = lasting(use.path)
            guard let other = uses[path] else {
                uses[path] = use
                continue
            }
            let isToldElsewhere = use.key == other.key && ownKeys.contains(use.key)
            if isToldElsewhere || use.isReadAlone && other.isReadAlone { continue }
            // What nobody wrote is a default, and has no line to mend.
            let isLater = reading.isWritten(use.section, use.key)
            let (wrong, first) = isLater ? (use, other) : (other, use)
            faults.append(
                reading.fault(
                    wrong.section, wrong.key,
                    "\(wrong.path) is [\(first.section.joined(separator: " "))] \(first.key) already: write another path"
                ))
        }
        return faults
    }

    private static func all(_ reading: ConfigurationReading) -> [Use] {
        var uses: [Use] = []
        for setting in SettingsCatalogue.settings where setting.kind.isPath {
            let isNamed = SettingsCatalogue.namedSections.contains(setting.section)
            let sections =
                isNamed
                ? reading.names(of: setting.section).map { [setting.section, $0] } : [[setting.section]]
            for section in sections {
                let path = reading.text(section, setting.key)
                guard path.hasPrefix("/") else { continue }
                uses.append(
                    Use(
                        section: section, key: setting.key, path: path,
                        isReadAlone: readAlone.contains(setting.key)))
            }
        }
        return uses
    }

    /// The same for `/run//x`, `/run/./x` and, where /var/run is a link to it, `/var/run/x`.
    private static func lasting(_ path: String) -> String {
        let parts: [Substring] = path.split(separator: "/").filter { $0 != "." }
        let folder = "/" + parts.dropLast().joined(separator: "/")
        guard let name = parts.last, let real = realpath(folder, nil) else {
            return "/" + parts.joined(separator: "/")
        }
        defer { free(real) }
        let found = String(cString: real)
        return found == "/" ? "/\(name)" : "\(found)/\(name)"
    }
}

extension SettingKind {
    fileprivate var isPath: Bool {
        switch self {
        case .path, .optionalPath, .socketPath: true
        case .flag, .integer, .optionalInteger, .number, .choice, .principals, .mode, .names, .soundDevice,
            .text, .message:
            false
        }
    }
}
