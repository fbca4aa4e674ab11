import Foundation
import Testing

/// `scripts/pin` compares what lies in `.build/checkouts` with `debian/pinned-versions`, to the file.
@Suite struct PinTests {
    /// What is done to one package, and whether it is still what was pinned.
    @Test(arguments: [
        ("", 0), ("echo more >>Sources/a.swift", 1), ("touch Sources/b.swift", 1), ("rm Sources/a.swift", 1),
        ("chmod +x Sources/a.swift", 1), ("touch ignored.swift", 1), ("rm -r .git", 1),
        ("git commit --quiet --allow-empty -m later", 0),
        ("echo more >>Sources/a.swift && git commit --quiet -am later", 1), ("git init --quiet ../other", 1),
        ("rm -r ../package", 1),
    ])
    func noticesWhatIsNotPinned(change: String, status: Int32) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pin-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = Tree.run([
            "bash", "-euc",
            """
            mkdir -p "$1"/{scripts/lib,debian,.build/checkouts/package/Sources}
            cp scripts/pin "$1/scripts/"
            cp scripts/lib/report.sh "$1/scripts/lib/"
            cd "$1/.build/checkouts/package"
            export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org
            export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org
            git init --quiet .
            echo ignored.swift >.gitignore
            echo text >Sources/a.swift
            git add .
            git commit --quiet -m first
            echo "package 1.0.0 $(git rev-parse 'HEAD^{tree}')" >"$1/debian/pinned-versions"
            \(change)
            """, "bash", folder,
        ])
        #expect(made.status == 0, "\(made.output)")
        let checked = Tree.run(["\(folder)/scripts/pin", "--check"])
        #expect(checked.status == status, "\(checked.output)")
        #expect(checked.output.contains(".build/checkouts/") == (status != 0), "\(checked.output)")
    }
}
