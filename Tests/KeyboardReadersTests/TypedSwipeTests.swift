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
    static let card =
        "%B4111111111111111^DOE/JANE^29121010000000000000?;4111111111111111=29121010000000000?"

    static let texts: [String] = {
        let published = [
            "MagTek/published/stream_level3.txt", "MagTek/published/stream_level2_v5.txt",
            "MagTek/published/stream_level2_sureswipe.txt", "IDTech/published/enhanced_kb_uat.txt",
            "IDTech/published/enhanced_kb_moneris.txt", "IDTech/published/keyed_original_kb.txt",
            "IDTech/published/keyed_entry_kb.txt",
        ].compactMap { try? Vector($0).lines.first }
        return published + [
            card, "%E?;4111111111111111=29121010000000000?", "%E?;E?+E?",
            card + "+4111111111111111==29121010000000000?",
            "PRE \(card) POST",
            "%CACITY^DOE$JANE^1 MAIN ST^?;636014123456=291219900101=?#!!900010000      D               ?",
        ]
    }()

    static func options(_ layout: String) throws -> KeyboardOptions {
        KeyboardOptions(layouts: [try KeyboardLayouts.layout(layout)])
    }

    /// What the text itself says.
    private static func right(_ text: String) -> [Swipe] {
        ReaderText.read(Array(text.utf8)).compactMap { try? $0.get().swipe }
    }

    static let habits: [KeyTyping.Habits] = {
        var all = [KeyTyping.Habits()]
        for change: (inout KeyTyping.Habits) -> Void in [
            { $0.releasesEachKey = false }, { $0.holdsFirst = true }, { $0.keysAtOnce = 6 },
            { $0.invertsShift = true }, { $0.usesNumbers = true },
            {
                $0.keysAtOnce = 3
                $0.releasesEachKey = false
            },
        ] {
            var habits = KeyTyping.Habits()
            change(&habits)
            all.append(habits)
        }
        return all
    }()

    @Test(arguments: layouts, texts.indices) func everyLayout(layout: String, text: Int) throws {
        let text = Self.texts[text]
        let right = Self.right(text)
        #expect(!right.isEmpty)
        for habits in Self.habits {
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
        run.take(try typing.type(Self.card + "\r"))
        run.rest()
        let cards = run.swipes.compactMap(\.card).filter { $0.kind == "payment" }
        #expect(cards.allSatisfy { $0 == Self.right(Self.card).first?.card })
        if reader == assumed { #expect(cards.count == 1) }
    }

    /// Where a check sum proves it, the layout is found out, and kept for the swipes behind it.
    @Test(arguments: layouts, [0, 3]) func foundOutLayout(layout: String, text: Int) throws {
        let typing = TypingReader(try KeyboardLayouts.layout(layout))
        var reader = typing
        var run = KeyReplay(try KeyboardLayouts.options("auto"))
        let clear = try reader.type(Self.card + "\r")
        if layout == "de" {
            run.take(clear)
            run.rest()
            #expect(run.swipes.allSatisfy { $0.card == nil }, "nothing proved it yet")
        }
        reader.pause(.seconds(2))
        run.take(try reader.type(Self.texts[text] + "\r"))
        run.rest()
        #expect(run.swipes.last == Self.right(Self.texts[text]).first)
        #expect(run.reader.layout == layout || layout == "uk")
        reader.pause(.seconds(2))
        run.take(try reader.type(Self.card + "\r"))
        run.rest()
        #expect(run.swipes.last == Self.right(Self.card).first)
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
