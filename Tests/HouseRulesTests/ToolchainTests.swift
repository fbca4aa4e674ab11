import Testing

/// The pages and the scripts name the same toolchains: the one that changes are tested with, and the oldest that compiles this.
@Suite struct ToolchainTests {
    private static let functions = ". scripts/lib/report.sh; . scripts/lib/setup.sh"

    /// A toolchain that says that it has the version in $0.
    private static let stub = "swift() { echo \"Swift version $0 (release)\"; }"

    @Test func pagesNameThoseOfTheScripts() throws {
        let named = Tree.run(["bash", "-euc", "\(Self.functions); echo \"$SWIFT_TESTED $SWIFT_OLDEST\""])
        let versions = named.output.split { $0 == " " || $0 == "\n" }.map(String.init)
        try #require(named.status == 0 && versions.count == 2, "\(named.output)")
        let readme = try #require(Tree.text("README.md"))
        #expect(readme.contains("with a Swift toolchain of \(versions[0]) or later"))
        #expect(readme.contains("the oldest that compiles\nswiped is \(versions[1]),"))
        let contributing = try #require(Tree.text("CONTRIBUTING.md"))
        #expect(contributing.contains("\n\(versions[0]) or newer"))
        #expect(contributing.contains("CI has \(versions[0]). What \(versions[1]) does not compile"))
    }

    /// What is older than both is refused; what is older than one is told of it.
    @Test(arguments: [
        ("6.2.2", 1, "is too old"), ("6.2.3", 0, "changes are tested with"),
        ("6.3", 0, "changes are tested with"),
        ("6.3.1", 0, ""), ("6.10", 0, ""), ("", 1, "does not say a version"),
    ])
    func scriptsLookAtTheirs(version: String, status: Int32, words: String) {
        let looked = Tree.run([
            "bash", "-euc",
            "\(Self.functions); \(Self.stub); require_swift", version,
        ])
        #expect(looked.status == status, "\(looked.output)")
        #expect(words.isEmpty ? looked.output.isEmpty : looked.output.contains(words), "\(looked.output)")
    }
}
