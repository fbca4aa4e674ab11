import Foundation
import Testing

/// Every script says what it does when asked, and does nothing else then.
@Suite struct ScriptTests {
    static let scripts = Tree.files.filter {
        $0.hasPrefix("scripts/") && !$0.hasPrefix("scripts/lib/") || $0.hasPrefix("Checkout/scripts/")
            || $0 == ".ci/run"
    }

    @Test(arguments: scripts)
    func hasHelp(script: String) {
        #expect(
            FileManager.default.isExecutableFile(atPath: Tree.root.appending(path: script).path),
            "chmod +x \(script)")
        let answer = Tree.run(["./" + script, "--help"])
        #expect(answer.status == 0)
        #expect(answer.output.contains("Usage: "), "\(script) --help prints how it is used")
    }

    @Test(arguments: scripts.filter { $0 != ".ci/run" })
    func refusesWhatItDoesNotKnow(script: String) {
        #expect(Tree.run(["./" + script, "--no-such-option"]).status == 2)
    }
}
