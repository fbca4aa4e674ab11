import Testing

@testable import SwipeDaemon

/// swiped.conf(5) comes from the catalogue: a setting that is added there is on the page.
@Suite struct SettingsPageTests {
    @Test(arguments: SettingsCatalogue.settings.map { [$0.section, $0.key] })
    func hasEverySetting(name: [String]) throws {
        let setting = try #require(SettingsCatalogue.find(name[0], name[1]))
        let isNamed = SettingsCatalogue.namedSections.contains(setting.section)
        let heading = isNamed ? ".Ss \"[\(setting.section) NAME]\"\n" : ".Ss [\(setting.section)]\n"
        let section = try #require(SettingsPage.text.split(separator: heading).dropFirst().first)
        let rest = section.split(separator: "\n.El", maxSplits: 1).first ?? ""
        #expect(rest.contains(".It Cm \(setting.key)\n"))
        #expect(setting.defaultValue.map { $0.isEmpty || rest.contains("Default: \($0)") } ?? true)
    }

    /// What would be a request of roff's in the middle of a text.
    @Test func noTextIsTakenForARequest() {
        for line in SettingsPage.text.split(separator: "\n") where line.first == "." {
            let request = line.dropFirst().prefix { $0.isLetter || $0 == "\\" || $0 == "\"" }
            #expect(!request.isEmpty, "\(line)")
        }
        #expect(SettingsPage.text.contains("SWIPED.CONF 5"))
    }
}
