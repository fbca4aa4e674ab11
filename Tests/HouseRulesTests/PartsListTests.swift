import Foundation
import Testing

/// `scripts/release` takes packages that their lists of parts name as they are, all of one state of the sources.
@Suite struct PartsListTests {
    /// What is done to a folder of two packages and their lists, and what is said of it; the sources' hash where it is still good.
    @Test(arguments: [
        ("", ""),
        ("echo more >>one_1_all.deb", "one_1_all.deb is another one than the list of parts names"),
        ("cp one_1_all.deb three_1_all.deb", "three_1_all.deb is in no list of parts"),
        ("echo more >one_2_all.deb", "only one of these would be installed: one_1_all.deb, one_2_all.deb"),
        ("rm two.spdx.json", "two_1_all.deb is in no list of parts"),
        ("rm two_1_all.deb", "two_1_all.deb is in a list of parts, and is not there"),
        ("rm all.buildinfo", "one_1_all.deb is in 0 .buildinfo files"),
        (
            "sed 's/two_/three_/' all.buildinfo >other.buildinfo",
            "other.buildinfo is of a build with three_1_all.deb"
        ),
        ("rm *", "has no packages"),
        ("echo '{\"packages\":[]}' >more.spdx.json", "more.spdx.json names no package"),
        ("cp all.buildinfo again.buildinfo", "two_1_all.deb is in 2 .buildinfo files"),
        ("echo Checksums-Sha256: >all.buildinfo", "one_1_all.deb is in 0 .buildinfo files"),
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
            printf 'Format: 1.0\nChecksums-Sha256:\n%s\nBuild-Path: /x\n' "$(sha256sum *.deb | sed 's/^/ /; s/  / 4 /')" >all.buildinfo
            \(change)
            """, "bash", folder,
        ])
        #expect(made.status == 0, "\(made.output)")
        let checked = Tree.run(["scripts/lib/check_bills.py", folder])
        #expect(checked.status == (words.isEmpty ? 0 : 1), "\(checked.output)")
        #expect(
            words.isEmpty ? checked.output == "tree-a\n" : checked.output.contains(words), "\(checked.output)"
        )
    }

    /// The source package of a release is what its packages were built from: what is done to it, and what is said then.
    @Test(arguments: [
        ("", ""),
        ("echo more >>folder/main", "the source package has another main than the packages were built from"),
        ("touch folder/new", "the source package has another new than"),
        ("rm folder/debian/rules", "the source package has another debian/rules than"),
        (". \"${check%/*}/watch.sh\"; watch_file https://host/folder >folder/debian/watch", ""),
        ("touch folder/debian/watch", "the source package has another debian/watch than"),
        ("ln -s main folder/debian/watch", "the source package has another debian/watch than"),
        (
            "mkdir -p folder/inner/.git && touch folder/inner/.git/code",
            "the source package has a folder of git's"
        ),
        ("echo more >>folder/checkouts/part/code", "checkouts/part of the source package is not what"),
        ("rm -r folder/checkouts/part", "checkouts/part of the source package is not what"),
        ("mkdir folder/checkouts/other", "other of the source package is not pinned"),
        ("mkdir 'folder/checkouts/#'", "# of the source package is not pinned"),
        ("mkdir folder/checkouts/.part", ".part of the source package is not pinned"),
        (
            "mv folder/checkouts/part elsewhere && ln -s ../../elsewhere folder/checkouts/part",
            "checkouts/part of the source package is not what"
        ),
        (
            "tree=$(echo | git hash-object --stdin)",
            "this clone does not have what the packages were built from"
        ),
    ])
    func comparesTheSourcePackage(change: String, words: String) throws {
        let checked = Tree.run([
            "bash", "-euc",
            """
            check=$PWD/scripts/lib/check_source.sh
            work=$(mktemp -d)
            trap 'rm -rf "$work"' EXIT
            cd "$work"
            git init --quiet part && cd part && echo code >code && git add code && tree=$(git write-tree) && cd ..
            git init --quiet clone && cd clone
            mkdir debian && echo rules >debian/rules && echo main >main && echo "part 1.0 $tree" >debian/pinned-versions
            git add --all && tree=$(git write-tree)
            mkdir ../folder && cp -r debian main ../folder/ && mkdir -p ../folder/checkouts/part && cp ../part/code ../folder/checkouts/part/
            cd "$work"
            \(change)
            cd clone
            "$check" "$tree" ../folder
            """,
        ])
        #expect(checked.status == (words.isEmpty ? 0 : 1), "\(checked.output)")
        #expect(words.isEmpty ? checked.output.isEmpty : checked.output.contains(words), "\(checked.output)")
    }
}
