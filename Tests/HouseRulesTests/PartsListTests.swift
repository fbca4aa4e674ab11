import Foundation
import Testing

/// `scripts/release` takes packages that their lists of parts name as they are, all of one state of the sources.
@Suite struct PartsListTests {
    /// What is done to a folder of two packages and their lists, and what is said of it; nothing where it is still good.
    @Test(arguments: [
        ("", ""),
        ("echo more >>one_1_all.deb", "one_1_all.deb is another one than the list of parts names"),
        ("cp one_1_all.deb three_1_all.deb", "three_1_all.deb is in no list of parts"),
        ("echo more >one_2_all.deb", "only one of these would be installed: one_1_all.deb, one_2_all.deb"),
        ("rm two.spdx.json", "two_1_all.deb is in no list of parts"),
        ("rm two_1_all.deb", "two_1_all.deb is in a list of parts, and is not there"),
        ("list two tree-b", "the packages are not of the same sources: git tree tree-a, git tree tree-b"),
        ("cp one.spdx.json again.spdx.json", "one_1_all.deb is in more than one list of parts"),
        ("echo '{}' >two.spdx.json", "two.spdx.json is no list of parts"),
        ("sed -i s/sourceInfo/other/ two.spdx.json", "two.spdx.json is no list of parts"),
        ("echo '{' >two.spdx.json", "two.spdx.json is no list of parts"),
    ])
    func noticesWhatDoesNotFit(change: String, words: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "parts-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = Tree.run([
            "bash", "-euc",
            """
            mkdir "$1" && cd "$1"
            list() {
                printf '{"packages":[{"packageFileName":"%s_1_all.deb","sourceInfo":"git tree %s","checksums":[{"checksumValue":"%s"}]},{"name":"x"}]}' \
                    "$1" "$2" "$(sha256sum <"$1"_1_all.deb | cut -d ' ' -f 1)" >"$1.spdx.json"
            }
            for name in one two; do echo "$name" >"$name"_1_all.deb; list "$name" tree-a; done
            \(change)
            """, "bash", folder,
        ])
        #expect(made.status == 0, "\(made.output)")
        let checked = Tree.run(["scripts/lib/check_bills.py", folder])
        #expect(checked.status == (words.isEmpty ? 0 : 1), "\(checked.output)")
        #expect(words.isEmpty ? checked.output.isEmpty : checked.output.contains(words), "\(checked.output)")
    }
}
