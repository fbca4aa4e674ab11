/// A configuration without a fault, and what it was made from: what `--check-config` prints.
package struct CheckedConfiguration: Sendable {
    let configuration: DaemonConfiguration
    /// The files that were read, in their order; none where there are none, and the defaults hold.
    package let files: [String]
    /// A line for each name under `[access]` of a file that this system does not know: a slip, or yet to come.
    package let unknownNames: [String]
    /// The same for names that hold where no file says others: no fault of a file.
    package let unknownDefaults: [String]

    init(_ configuration: DaemonConfiguration, files: [String], settings: [Setting]) {
        self.configuration = configuration
        self.files = files
        let unknown = AccessRules(configuration.access).unknownNames
        unknownNames = Self.lines(of: unknown, in: settings)
        let written = settings.filter { $0.section == ["access"] }.flatMap {
            (SettingKind.principals($0.value) ?? []).map(AccessRules.name)
        }
        unknownDefaults = unknown.filter { !written.contains($0) }.map {
            "[access] names '\($0)' where nothing else is said, which this system does not have"
        }
    }

    /// A line for each place in which one of these names stands.
    static func lines(of unknown: [String], in settings: [Setting]) -> [String] {
        settings.filter { $0.section == ["access"] }.flatMap { setting in
            let names = (SettingKind.principals(setting.value) ?? []).map(AccessRules.name)
            return names.filter(unknown.contains).map {
                "\(setting.place): [access] names '\($0)', which this system does not have"
            }
        }
    }
}
