import CardData
import Checkout
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Random edits: nothing traps, the caret stays in the text, the text stays in its form.
@Suite struct RandomEditTests {
    /// How many edits; CHECKOUT_EDITS says another number. 1,000,000 were run once, see README.md.
    static let edits = getenv("CHECKOUT_EDITS").flatMap { Int(String(cString: $0)) } ?? 20_000

    static let pieces = [
        "4", "1", "0", "9", "37", "3782 822463 10005", "4111-1111-1111-1111", "４１１１", "٣", "12/27", "2027-12",
        "/",
        "", "x", "🂡", "e\u{301}", "\u{0}", "\u{202E}", "👨‍👩‍👧", "99999999999999999999999", "\r\n", " ", "½", "①",
    ]

    @Test(arguments: [CardComponent.cardNumber, .expiry, .cvv])
    func nothingTraps(component: CardComponent) {
        var random = RandomEdits.Random(state: UInt64(component.rawValue.utf8.count))
        var editor = CardFieldEditor(component, today: november2026)
        for edit in 0..<Self.edits / 3 {
            let before = editor.digits.count
            let outcome = Self.edit(&editor, &random)
            let text = editor.text.reveal()
            guard (0...text.utf8.count).contains(editor.caret), text.utf8.count <= 23,
                text.utf8.count(where: { $0 != 32 && $0 != 47 }) == editor.digits.count,
                outcome == .changed || editor.digits.count == before,
                editor.isValid == (editor.problem == nil)
            else {
                Issue.record("edit \(edit): caret \(editor.caret) of \(text.utf8.count)")
                return
            }
        }
    }

    private static func edit(_ editor: inout CardFieldEditor, _ random: inout RandomEdits.Random)
        -> CardFieldEditor.Outcome
    {
        let piece = pieces[random.below(pieces.count)]
        let (first, second) = (random.below(30) - 5, random.below(30) - 5)
        switch random.below(10) {
        case 0...3: return editor.type(piece)
        case 4: return editor.deleteBackward()
        case 5: return editor.deleteForward()
        case 6: return editor.replace(min(first, second)..<max(first, second), with: piece)
        case 7: return editor.setText(piece)
        case 8: editor.moveCaret(to: first)
        default: editor.moveCaret(by: second)
        }
        return .unchanged
    }

}
