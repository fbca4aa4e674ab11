import Foundation
import Testing

/// The manual pages are what `man` takes without a complaint.
@Suite struct ManualPageTests {
    static let pages = Tree.files.filter { $0.wholeMatch(of: /docs\/man\/[^\/]+\.[0-9]/) != nil }
    static let hasGroff = FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")

    @Test func arePackaged() throws {
        let packaged = ["swiped", "swipectl", "swiped-web", "swiped-mqtt"].flatMap { package in
            (Tree.text("debian/\(package).manpages") ?? "").split(separator: "\n").map(String.init)
        }
        #expect(packaged.sorted() == Self.pages)
    }

    /// -ww: every warning; -z: nothing else.
    @Test(.enabled(if: hasGroff, "groff is not installed"), arguments: pages)
    func haveNoWarnings(page: String) {
        let checked = Tree.run(["groff", "-mandoc", "-Tutf8", "-Kutf8", "-ww", "-z", page])
        #expect(checked.status == 0)
        #expect(checked.output.isEmpty, "\(checked.output)")
    }
}
