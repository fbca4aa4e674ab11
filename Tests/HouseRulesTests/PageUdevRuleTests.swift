import Testing

/// Rules of udev that a page tells people to write are those that the virtual machine tries, to the letter.
@Suite struct PageUdevRuleTests {
    @Test func pagesTellTriedRules() {
        let prefix = "    SUBSYSTEM=="
        let told = Pages.pages.flatMap { page in
            (Tree.text(page) ?? "").split(separator: "\n").filter { $0.hasPrefix(prefix) }.map {
                $0.dropFirst(4)
            }
        }
        let scenarios = Tree.files.filter { $0.hasPrefix("Tests/VM/scenarios/") }
        let tried = Set(scenarios.flatMap { (Tree.text($0) ?? "").split(separator: "\n") })
        #expect(!told.isEmpty)
        for rule in told { #expect(tried.contains(rule), "not in a scenario: \(rule)") }
    }
}
