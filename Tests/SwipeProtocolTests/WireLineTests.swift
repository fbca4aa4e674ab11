import SwipeProtocol
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Lines, and what readers complain of, are those that are kept in `Tests/Lines`: what describes an object must not change
/// a byte of them unawares. `SWIPED_WRITE_LINES=1` writes them (CONTRIBUTING.md).
@Suite struct WireLineTests {
    @Test func linesAreTheSame() throws {
        try compare(WireLines.all, with: "lines.jsonl")
    }

    @Test func complaintsAreTheSame() throws {
        try compare(WireLines.complaints.map { $0 + "\n" }, with: "complaints.txt")
    }

    private func compare(_ lines: [String], with name: String) throws {
        let root = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let path = "/\(root)/Lines/\(name)"
        if getenv("SWIPED_WRITE_LINES") != nil {
            let file = try #require(fopen(path, "w"))
            fputs(lines.joined(), file)
            fclose(file)
        }
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let kept = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        let now = lines.map { $0.dropLast() }
        #expect(now.count == kept.count, "lines of Tests/Lines/\(name)")
        for (line, before) in zip(now, kept) where line != before {
            Issue.record(
                "Tests/Lines/\(name):\nnow \(line)\nkept \(before)\nIf that is meant: SWIPED_WRITE_LINES=1, see CONTRIBUTING.md"
            )
            return
        }
    }
}
