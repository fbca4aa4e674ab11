import Testing

/// What the units of the packages have in common.
@Suite struct UnitTests {
    static let services = Tree.files.filter { $0.wholeMatch(of: /systemd\/[^\/]+\.service/) != nil }

    /// Where the priorities of threads may not be set, libdispatch says so of each thread, and the log is no place for that.
    @Test(arguments: services)
    func theRuntimeIsQuiet(path: String) throws {
        let unit = try #require(Tree.text(path))
        guard unit.contains(/(?m)^SystemCallFilter=~.*@resources/) else { return }
        #expect(unit.contains(/(?m)^Environment=LIBDISPATCH_LOG=NO$/), "\(path)")
    }
}
