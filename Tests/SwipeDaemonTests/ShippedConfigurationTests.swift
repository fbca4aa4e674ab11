import FoundationEssentials
import Testing

@testable import SwipeDaemon

/// etc/swiped.conf says of every setting what holds anyway: it is held against the catalogue.
@Suite struct ShippedConfigurationTests {
    private struct Line: Hashable {
        var section: String
        var key: String
        var value: String
    }

    private static let path =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/etc/swiped.conf"

    /// The file with its settings and sections uncommented.
    private func uncommented() throws -> String {
        try String(contentsOfFile: Self.path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { line in
            let isSetting =
                line.wholeMatch(of: /#[a-z_]+ =.*/) != nil || line.wholeMatch(of: /#\[.*\]/) != nil
            return String(isSetting ? line.dropFirst() : line)
        }.joined(separator: "\n")
    }

    private func lines() throws -> [Line] {
        SettingsFile(try uncommented(), file: "swiped.conf").settings.map {
            Line(section: $0.section[0], key: $0.key, value: $0.value)
        }
    }

    @Test func everyLineIsASettingThatExistsWithItsDefault() throws {
        for line in try lines() {
            let setting = try #require(
                SettingsCatalogue.find(line.section, line.key), "[\(line.section)] \(line.key) does not exist"
            )
            guard let value = setting.defaultValue else { continue }
            #expect(line.value == value, "[\(line.section)] \(line.key)")
        }
    }

    /// Virtual readers are for tests and are not offered to operators.
    @Test func everySettingIsThere() throws {
        let written = Set(try lines().map { [$0.section, $0.key] })
        for setting in SettingsCatalogue.settings where !setting.section.hasPrefix("virtual-") {
            #expect(written.contains([setting.section, setting.key]), "[\(setting.section)] \(setting.key)")
        }
    }

    @Test func theFileAsItIsMeansTheDefaults() async throws {
        let shipped = try ConfigurationLoader.load(path: Self.path, isRequired: true)
        let none = try ConfigurationLoader.load(path: "/nonexistent/swiped.conf", isRequired: false)
        #expect(shipped == none)
    }

    @Test func uncommentedItIsValid() throws {
        #expect(SettingsFile(try uncommented(), file: "swiped.conf").errors == [])
    }
}
