import CardData
import Foundation
import ReaderKit
import SwipeProtocol
import Testing

@testable import SwipeDaemon

/// A card is known again without its number, by nobody who lacks the key.
@Suite struct CardHashTests {
    private static let visa = [
        "%B4761730000000011^DOE/JOHN^24122011143804400000?", ";4761730000000011=24122011303130600000?", "",
    ]

    private static func swipe(_ texts: [String]) -> Swipe {
        let readings = texts.enumerated().map { index, text in
            TrackReading(track: index + 1, outcome: text.isEmpty ? .empty : .read(SensitiveText(text)))
        }
        return Swipe(tracks: readings, card: Card.recognise(readings))
    }

    private static func key(_ byte: UInt8) throws -> CardHash {
        try CardHash(key: [UInt8](repeating: byte, count: CardHash.minimumKey))
    }

    /// Against another implementation: `printf number:4761730000000011 | openssl dgst -sha256 -mac hmac -macopt hexkey:0b…`, n = 1.
    @Test func isTheDocumentedHash() throws {
        let text = try #require(Self.key(0x0B).text(of: Self.swipe(Self.visa)))
        #expect(text == "7bc0e43f-36cea0926ec27b638d4df9d1543d6ccaa1e00bb8444b585e26848ef38404a6a6")
    }

    @Test func aCardHasOneHashWhicheverTracksAreRead() throws {
        let hash = try Self.key(1)
        let whole = try #require(hash.text(of: Self.swipe(Self.visa)))
        #expect(hash.text(of: Self.swipe([Self.visa[0], "", ""])) == whole)
        #expect(hash.text(of: Self.swipe(["", Self.visa[1], ""])) == whole)
        let other = Self.visa.map { $0.replacing("4761730000000011", with: "4012888888881881") }
        #expect(hash.text(of: Self.swipe(other)) != whole)
        let otherKey = try #require(Self.key(2).text(of: Self.swipe(Self.visa)))
        #expect(otherKey.prefix(8) != whole.prefix(8) && otherKey.suffix(64) != whole.suffix(64))
    }

    @Test func aMembersCardHasOneToo() throws {
        let hash = try Self.key(1)
        let texts = ["", ";12345678901?", ""]
        let text = try #require(hash.text(of: Self.swipe(texts)))
        #expect(text.utf8.count == 73)
        #expect(hash.text(of: Self.swipe(["", ";12345678902?", ""])) != text)
        #expect(hash.text(of: Self.swipe(["", "", ""])) == nil)
    }

    /// What a reader covered could be anybody's.
    @Test func aCoveredNumberHasNone() throws {
        let hash = try Self.key(1)
        #expect(hash.text(of: Self.swipe(["", ";476173******0011=2412201**********?", ""])) == nil)
    }

    @Test(arguments: [(View.status, false), (.masked, true), (.full, true)])
    func whoSeesCardsSeesIt(view: View, isThere: Bool) throws {
        let hash = try Self.key(1)
        let data = SwipeDisclosure.data(of: Self.swipe(Self.visa), for: view, hash: hash)
        #expect((data.card?.hash != nil) == isThere)
        #expect(SwipeDisclosure.data(of: Self.swipe(Self.visa), for: view).card?.hash == nil)
    }

    @Test func aKeyThatIsNoneIsRefused() throws {
        #expect(throws: CardHash.Fault.unreadable("/nonexistent/key")) {
            try CardHash(path: "/nonexistent/key")
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)")
        try Data([1, 2, 3]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(throws: CardHash.Fault.short(file.path)) { try CardHash(path: file.path) }
        #expect(StartComplaint.words(for: CardHash.Fault.short("/k")).contains("openssl rand"))
    }
}
