import FoundationEssentials
import Testing

@testable import SwipeDaemon

/// The keys that the sources read are those of the catalogue: one that is not there would be read as nothing, or 0, for ever.
@Suite struct ConfigurationKeysTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// What turns settings into the typed configuration.
    private func sources() throws -> [(file: String, text: String)] {
        let folder = "\(Self.root)/Sources/SwipeDaemon/Configuration"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { !$0.hasPrefix("SettingsCatalogue") }
            .map { ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
    }

    @Test func everyKeyThatIsReadIsInTheCatalogue() throws {
        let keys = Set(SettingsCatalogue.settings.map(\.key))
        var read = 0
        for (file, text) in try sources() {
            let calls = text.matches(
                of: #/\b(?:text|integer|flag|required|ids|isWritten|fault)\(\s*(?:\[[^\]]*\]|\w+),\s*"(\w+)"/#
            )
            for key in calls.map(\.output.1) {
                read += 1
                #expect(
                    keys.contains(String(key)),
                    "\(file) reads '\(key)', which SettingsCatalogue does not have")
            }
        }
        #expect(read > 30)
    }

    @Test func everyKeyOfTheCatalogueIsRead() throws {
        let literals = Set(
            try sources().flatMap { $0.text.matches(of: #/"([a-z][a-z0-9_]*)"/#).map { String($0.output.1) } }
        )
        for setting in SettingsCatalogue.settings {
            #expect(literals.contains(setting.key), "nothing reads [\(setting.section)] \(setting.key)")
        }
    }
}
