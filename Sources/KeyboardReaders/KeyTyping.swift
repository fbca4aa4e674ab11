package import ReaderKit

/// A text as a keyboard types it: boot reports, one after the other. For virtual readers and tests.
package struct KeyTyping: Sendable {
    /// The ways in which readers differ.
    package struct Habits: Sendable, Hashable {
        /// Every key goes up before the next one goes down; without it, only where the same key comes again.
        package var releasesEachKey = true
        /// A modifier has a report of its own before its key.
        package var holdsFirst = false
        /// So many keys that need the same modifiers are pressed within one report, where all are others.
        package var keysAtOnce = 1
        /// Each character is typed by its number, with Alt held.
        package var usesNumbers = false
        /// Letters with shift where others have none, as readers do that see Caps Lock lit.
        package var invertsShift = false
        /// A blank behind each dead key.
        package var knowsDeadKeys = true
        package init() {}
    }

    private static let leftShift: UInt8 = 0x02
    private static let leftAlt: UInt8 = 0x04
    private static let rightAlt: UInt8 = 0x40
    private static let released = [UInt8](repeating: 0, count: KeyState.reportBytes)

    /// It has digits and signs too, which readers type on the main block.
    private static let keypad: Set<UInt16> = Set([55, 96, 98, 117] + Array(71...83))

    private struct Stroke: Hashable {
        var modifiers: UInt8
        var usage: UInt8
    }

    package var habits: Habits
    private var strokes: [UInt8: Stroke] = [:]
    private var dead: Set<UInt8> = []

    package init(_ layout: KeyboardLayout = .us, habits: Habits = Habits()) {
        self.habits = habits
        let ways: [(KeyModifiers, UInt8)] = [
            ([], 0), (.shift, Self.leftShift), (.altGr, Self.rightAlt),
            ([.shift, .altGr], Self.leftShift | Self.rightAlt),
        ]
        for (held, modifiers) in ways {
            for code in UInt16(1)...127 where !Self.keypad.contains(code) {
                guard let usage = KeyCode.usage(of: code) else { continue }
                let stroke = Stroke(modifiers: modifiers, usage: usage)
                switch layout.symbol(code, held) {
                case .none: continue
                case .character(let character):
                    if strokes[character] == nil || dead.remove(character) != nil {
                        strokes[character] = stroke
                    }
                case .dead(let character):
                    guard strokes[character] == nil else { continue }
                    strokes[character] = stroke
                    dead.insert(character)
                }
            }
        }
    }

    /// The reports; nil where a character has no key in the layout.
    package func reports(_ text: some Sequence<UInt8>) -> [[UInt8]]? {
        if habits.usesNumbers { return text.flatMap(Self.numbered) + [Self.released] }
        var strokes: [Stroke] = []
        for character in text {
            guard var stroke = self.strokes[character] else { return nil }
            let isLetter = (0x41...0x5A).contains(character & 0xDF)
            if habits.invertsShift, isLetter { stroke.modifiers ^= Self.leftShift }
            strokes.append(stroke)
            if habits.knowsDeadKeys, dead.contains(character), let blank = self.strokes[0x20] {
                strokes.append(blank)
            }
        }
        return typed(strokes)
    }

    private func typed(_ strokes: [Stroke]) -> [[UInt8]] {
        var reports: [[UInt8]] = []
        var rest = strokes[...]
        var last: Set<UInt8> = []
        while let first = rest.first {
            var group: [UInt8] = []
            while let next = rest.first, next.modifiers == first.modifiers, !group.contains(next.usage),
                group.count < min(max(habits.keysAtOnce, 1), 6)
            {
                group.append(next.usage)
                rest.removeFirst()
            }
            if !reports.isEmpty, habits.releasesEachKey || !last.isDisjoint(with: group) {
                reports.append(Self.released)
            }
            if habits.holdsFirst, first.modifiers != 0 { reports.append(Self.report(first.modifiers, [])) }
            reports.append(Self.report(first.modifiers, group))
            last = Set(group)
        }
        return reports + [Self.released]
    }

    private static func report(_ modifiers: UInt8, _ keys: [UInt8]) -> [UInt8] {
        let report = [modifiers, 0] + keys
        return report + [UInt8](repeating: 0, count: KeyState.reportBytes - report.count)
    }

    /// Alt down, three digits of the keypad, Alt up.
    private static func numbered(_ character: UInt8) -> [[UInt8]] {
        let digits = [character / 100, character / 10 % 10, character % 10]
        let keys = digits.flatMap { digit in
            // Usage 59 is the keypad's 1, 62 its 0.
            [report(leftAlt, [digit == 0 ? 0x62 : 0x58 + digit]), report(leftAlt, [])]
        }
        return [report(leftAlt, [])] + keys + [released]
    }
}
