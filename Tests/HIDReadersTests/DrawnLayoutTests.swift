import FoundationEssentials
import Testing

@testable import HIDReaders

/// The drawing above the known layouts says what the layouts say: offset, bytes and field of each.
@Suite struct DrawnLayoutTests {
    private struct DrawnField: Hashable {
        var field: String
        var range: Range<Int>
    }

    @Test func theDrawingIsTheLayout() throws {
        let drawn = try Self.drawn()
        let layout = MagTekLayout.magneSafe931
        let known = MagTekField.allCases.compactMap { field in
            layout[field].map { DrawnField(field: "\(field)", range: $0) }
        }
        #expect(Set(drawn) == Set(known))
        #expect(drawn.count == known.count)
    }

    /// The lines of the drawing: offset, bytes, field.
    private static func drawn() throws -> [DrawnField] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appending(path: "Sources/HIDReaders/MagTek/MagTekKnownLayouts.swift")
        let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
        return lines.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 4, words[0] == "///", let offset = Int(words[1]), let size = Int(words[2])
            else { return nil }
            return DrawnField(field: String(words[3]), range: offset..<(offset + size))
        }
    }
}
