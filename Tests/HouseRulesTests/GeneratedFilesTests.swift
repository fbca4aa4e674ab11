import Foundation
import Testing

/// What is made from the sources was made from these sources. The list of such files is scripts/generate;
/// swiped(8) and swipectl(1), which need more, are checked by scripts/test.
@Suite struct GeneratedFilesTests {
    /// The programs of the same build as this test.
    static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    static let areBuilt = ["swiped", "swipectl"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: products.appending(path: $0).path)
    }

    @Test(.enabled(if: areBuilt, "swiped and swipectl are not built"))
    func filesAreFresh() {
        let answer = Tree.run(["scripts/generate", "--check", "--products", Self.products.path])
        #expect(answer.status == 0, "Run scripts/generate.\n\(answer.output)")
    }

    /// The check can fail: programs that say nothing make other files than those of the tree.
    @Test func staleFilesAreNoticed() throws {
        let folder = URL.temporaryDirectory.appending(path: "swiped-generate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for program in ["swiped", "swipectl"] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: program), withDestinationURL: URL(filePath: "/bin/true"))
        }
        let answer = Tree.run(["scripts/generate", "--check", "--products", folder.path])
        #expect(answer.status == 1)
        #expect(answer.output.contains("udev/70-swiped.rules is not fresh"))
    }
}
