import FoundationEssentials
import Testing

@Suite("What the payment SDK has, this has")
struct FromTheSDKTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    @Test("holds", arguments: SDKRow.all)
    func row(_ row: SDKRow) {
        switch row.proof {
        case .here(let holds): #expect(holds(), "\(row.theirs): \(row.ours)")
        case .there(let tests): for test in tests { #expect(Self.isThere(test), "\(test) is not there") }
        case .absent: break
        }
    }

    /// Whether a file of that target has that suite and, in it, that test: a function of that name that is none, or that
    /// stands in another suite, proves nothing.
    private static func isThere(_ test: String) -> Bool {
        guard let match = test.wholeMatch(of: /([A-Za-z]+)\.([A-Za-z]+)\/([A-Za-z]+)/) else { return false }
        let folder = root.appending(path: "Tests").appending(path: String(match.1))
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".swift") }.contains { file in
            let text = (try? String(contentsOf: folder.appending(path: file), encoding: .utf8)) ?? ""
            return tests(of: String(match.2), in: text).contains(String(match.3))
        }
    }

    /// The tests of a suite in a file's text: what stands marked in the bodies of its type and its extensions, which end
    /// with a brace at a line's beginning.
    private static func tests(of suite: String, in text: String) -> Set<String> {
        var tests: Set<String> = []
        var isInside = false
        var isMarked = false
        for line in text.split(separator: "\n") {
            if line.first?.isWhitespace == false {
                let type = line.firstMatch(of: /\b(?:struct|class|actor|extension) ([A-Za-z0-9_]+)/)
                isInside = type.map { String($0.1) } == suite
            }
            guard isInside else { continue }
            if line.contains("@Test") { isMarked = true }
            guard let function = line.firstMatch(of: /\bfunc ([A-Za-z0-9_]+)\(/) else { continue }
            if isMarked { tests.insert(String(function.1)) }
            isMarked = false
        }
        return tests
    }

    @Test(
        "takes for a proof only a test of that suite",
        arguments: [
            ("AudioReadersTests.FromTheSDKTests/row", true),
            ("AudioReadersTests.FromTheSDKTests/isThere", false),
            ("AudioReadersTests.FromTheSDK/row", false),
            ("EndToEndTests.FromTheSDKTests/row", false),
            ("CardDataTests.CardFieldTests/serviceCodeMeaning", true),
            ("CardDataTests.AccountNumberTests/serviceCodeMeaning", false),
        ])
    func proofs(test: String, isOne: Bool) { #expect(Self.isThere(test) == isOne) }

    @Test("leaves none out", arguments: SDKMembers.all.indices)
    func everyMemberHasARow(index: Int) {
        let (section, names) = SDKMembers.all[index]
        let theirs = SDKRow.all.filter { $0.section == section }.map(\.theirs)
        for name in names {
            // The name ends there: `ksn` is not `ksnOfAnother`. Behind a colon stands an argument.
            let isThere = theirs.contains { row in
                row.ranges(of: name).contains { range in
                    name.last == ":" || row[range.upperBound...].first?.isLetter != true
                }
            }
            #expect(isThere, "\(section): \(name)")
        }
    }

    @Test func noRowStandsTwice() {
        let names = SDKRow.all.map { $0.section + $0.theirs + $0.ours }
        #expect(Set(names).count == names.count)
    }

    /// The page for people who come from the SDK is made of the same rows. With `SWIPED_WRITE_PAGES` set the test writes
    /// them there.
    @Test func thePageIsTheTable() throws {
        let file = Self.root.appending(path: "docs/from-the-sdk.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        if ProcessInfo.processInfo.environment["SWIPED_WRITE_PAGES"] != nil,
            let words = page.split(separator: "\n## ", maxSplits: 1).first
        {
            page = words + "\n" + SDKRow.tables
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(page.hasSuffix(SDKRow.tables), "docs/from-the-sdk.md must end with:\n\(SDKRow.tables)")
    }
}
