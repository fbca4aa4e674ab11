import CardData
import HIDReaders
import KeyboardLayouts
import KeyboardReaders
import ReaderKit
import ReaderTesting
import Testing

/// Swipes as readers type them, in every layout and habit: what is read is what the text says.
@Suite struct TypedSwipeTests {
    static let layouts = ["us", "uk", "de", "fr", "be", "tr"]

    static func options(_ layout: String) throws -> KeyboardOptions {
        KeyboardOptions(layouts: [try KeyboardLayouts.layout(layout)])
    }

    /// What the text itself says.
    private static func right(_ text: String) -> [Swipe] {
        ReaderText.read(Array(text.utf8)).compactMap { try? $0.get().swipe }
    }

    @Test(arguments: layouts, TypedSwipes.texts.indices) func everyLayout(layout: String, text: Int) throws {
        let text = TypedSwipes.texts[text]
        let right = Self.right(text)
        #expect(!right.isEmpty)
        for habits in TypedSwipes.habits {
            for way in TypingReader.Way.allCases {
                for end in ["\r", "", "\r\r"] {
                    var reader = TypingReader(try KeyboardLayouts.layout(layout), habits: habits)
                    reader.way = way
                    var run = KeyReplay(try Self.options(layout))
                    for _ in 0..<2 {
                        run.take(try reader.type(text + end))
                        run.rest()
                        reader.pause(.seconds(2))
                    }
                    #expect(run.swipes == right + right, "\(layout) \(habits) \(way) \(end.count)")
                    #expect(run.complaints == [], "\(layout) \(habits)")
                }
            }
        }
    }

    /// In a layout that is not its own, a reader's clear text is never another payment card.
    @Test(arguments: layouts, layouts) func anotherLayout(reader: String, assumed: String) throws {
        var typing = TypingReader(try KeyboardLayouts.layout(reader))
        var run = KeyReplay(try Self.options(assumed))
        run.take(try typing.type(TypedSwipes.card + "\r"))
        run.rest()
        let cards = run.swipes.compactMap(\.card).filter { $0.kind == "payment" }
        #expect(cards.allSatisfy { $0 == Self.right(TypedSwipes.card).first?.card })
        if reader == assumed { #expect(cards.count == 1) }
    }

    /// Where a check sum proves it, the layout is found out, and kept for the swipes behind it.
    @Test(arguments: layouts, [0, 3]) func foundOutLayout(layout: String, text: Int) throws {
        let typing = TypingReader(try KeyboardLayouts.layout(layout))
        var reader = typing
        var run = KeyReplay(try KeyboardLayouts.options("auto"))
        let clear = try reader.type(TypedSwipes.card + "\r")
        if layout == "de" {
            run.take(clear)
            run.rest()
            #expect(run.swipes.allSatisfy { $0.card == nil }, "nothing proved it yet")
        }
        reader.pause(.seconds(2))
        run.take(try reader.type(TypedSwipes.texts[text] + "\r"))
        run.rest()
        #expect(run.swipes.last == Self.right(TypedSwipes.texts[text]).first)
        #expect(run.reader.layout == layout || layout == "uk")
        reader.pause(.seconds(2))
        run.take(try reader.type(TypedSwipes.card + "\r"))
        run.rest()
        #expect(run.swipes.last == Self.right(TypedSwipes.card).first)
    }

    @Test(arguments: ["qq", "de(nosuch)", "de,fr", "", "de\u{0}", "/nosuch", "/dev/null", "de("])
    func noSuchLayout(name: String) {
        #expect(throws: KeyboardLayouts.Failure.self) { try KeyboardLayouts.layout(name) }
    }

    /// Cards on which digits stand in hostile places, and what readers make of them.
    @Test func hostileCards() throws {
        var random = SeededGenerator(state: 21)
        var cards = 0
        while cards < 300 {
            guard let card = HostileCard(using: &random) else { continue }
            cards += 1
            let text = card.texts.joined()
            let layout = Self.layouts[cards % Self.layouts.count]
            var typing = TypingReader(try KeyboardLayouts.layout(layout))
            var run = KeyReplay(try Self.options(layout))
            guard let keys = try? typing.type(text + "\r") else { continue }
            run.take(keys)
            run.rest()
            let isDoubtful = run.complaints.contains { $0.contains("dead key") }
            #expect(
                run.swipes.filter { !$0.tracks.isEmpty } == (isDoubtful ? [] : Self.right(text)),
                "\(layout) \(card.deed)")
            for what in run.complaints { #expect(what.filter(\.isNumber).count < 6) }
        }
    }
}
