import Foundation
import Testing

/// What is made from the sources was made from these sources. The list of such files is scripts/generate;
/// the manual pages, which need a build, are checked by scripts/test.
@Suite struct GeneratedFilesTests {
    /// swipectl of the same build as this test.
    static let swipectl = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "swipectl").path

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: swipectl), "swipectl is not built"))
    func filesAreFresh() {
        let answer = Tree.run(["scripts/generate", "--check", "--swipectl", Self.swipectl])
        #expect(answer.status == 0, "Run scripts/generate.\n\(answer.output)")
    }
}
