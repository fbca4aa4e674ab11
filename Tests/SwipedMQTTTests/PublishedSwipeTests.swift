import CardData
import ReaderKit
import ReaderTesting
import SwipeProtocol
import Testing

@testable import SwipeDaemon
@testable import SwipedMQTT

/// What leaves the machine of a card: what the configuration names, and nothing else.
@Suite struct PublishedSwipeTests {

    private static let visa = [
        "%B4761730000000011^DOE/JOHN^24122011143804400000?", ";4761730000000011=24122011303130600000?", "",
    ]

    @Test(arguments: [
        ("none", #""card":null,"tracks":[],"encryption":null"#),
        ("kind", #""card":{"kind":"payment","format":"iso7813"},"tracks":[]"#),
        ("brand", #""pan":{"masked":"****************","length":16,"brand":"visa"}"#),
        ("pan", #""pan":{"masked":"476173******0011","length":16,"luhn":true}"#),
        ("expiry service_code", #""format":"iso7813","expiry":"2412","service_code":"201"}"#),
        ("tracks", #""tracks":[{"track":1,"status":"ok"},{"track":2,"status":"ok"},"#),
    ]) func whatIsNamedIsThere(fields: String, part: String) throws {
        let text = try PublishedSwipes.text(
            PublishedSwipes.swipe(Self.visa, .masked), try #require(FieldSet(fields)))
        #expect(text.contains(part), "\(text)")
        #expect(text.hasSuffix(#","event_id":"abc:7"}"#))
    }

    /// Whatever the fields, it is an event of the protocol: with one member more.
    @Test func allOfItIsTheProtocols() throws {
        let fields = FieldSet(Set(FieldSet.Field.allCases))
        for fields in [fields, .usual, FieldSet([])] {
            let bytes = try #require(
                PublishedSwipe.line(
                    PublishedSwipes.event(PublishedSwipes.swipe(Self.visa, .full)), instance: "abc", fields))
            #expect(try PublishedSwipes.complaint(bytes) == nil)
            guard case .event(let read) = try ServerMessage(line: bytes) else {
                Issue.record("no event")
                return
            }
            #expect(read.sequence == 7 && read.body.kind == .swipe)
        }
    }

    @Test func whatIsNoSwipeIsNotPublished() {
        var event = PublishedSwipes.event(SwipeData(tracks: []))
        #expect(PublishedSwipe.line(event, instance: "abc", .usual) != nil)
        event.sequence = nil
        #expect(PublishedSwipe.line(event, instance: "abc", .usual) == nil)
        event = PublishedSwipes.event(SwipeData(tracks: []))
        event.body = .swipeStart
        #expect(PublishedSwipe.line(event, instance: "abc", .usual) == nil)
    }

    /// No number, no track and no name, whatever stands on the card, whatever the fields; not even where the daemon shows all of it.
    @Test(arguments: [UInt64](0..<4)) func nothingElseLeaves(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &+ 25)
        var count = 0
        while count < 100 {
            guard let card = HostileCard(using: &random) else { continue }
            count += 1
            var fields: Set<FieldSet.Field> = []
            for field in FieldSet.Field.allCases where Bool.random(using: &random) { fields.insert(field) }
            for view in [View.masked, .full] {
                let swipe = PublishedSwipes.swipe(card.texts, view)
                let text = try PublishedSwipes.text(swipe, FieldSet(fields))
                #expect(card.leaks(in: text).isEmpty, "\(card.deed), \(fields): \(text)")
                for word in ["name", "text", "number", "properties", "fields", "ciphertext", "discretionary"]
                {
                    #expect(!text.contains(#""\#(word)":"#), "\(text)")
                }
                if let name = swipe.card?.name?.reveal(), name.utf8.count > 3 {
                    #expect(!text.contains(name), "\(text)")
                }
                let masked = swipe.tracks.compactMap(\.masked).filter { $0.utf8.count > 3 }
                #expect(!masked.contains { text.contains($0) }, "\(text)")
            }
        }
    }
}
