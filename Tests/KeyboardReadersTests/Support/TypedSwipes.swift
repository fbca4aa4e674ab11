import CardData
import HIDReaders
import KeyboardLayouts
import KeyboardReaders
import ReaderKit
import ReaderTesting

/// Swipes that were typed.
enum TypedSwipes {
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
}
