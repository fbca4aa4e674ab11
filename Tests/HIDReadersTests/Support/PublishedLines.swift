import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Lines of published captures.
enum PublishedLines {
    static func line(_ path: String) throws -> String { try #require(try Vector(path).lines.first) }
}
