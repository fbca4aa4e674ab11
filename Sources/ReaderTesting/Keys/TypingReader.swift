package import KeyboardReaders
package import ReaderKit

/// A reader that types what it reads: texts in, keys out, with gaps as real ones have, and with what may go wrong on the way.
package struct TypingReader: Sendable {
    /// How its keys reach the daemon.
    package enum Way: Sendable, CaseIterable {
        /// Boot reports, through hidraw.
        case reports
        /// Key codes, through evdev.
        case codes
    }

    package var typing: KeyTyping
    package var way = Way.reports
    package var gap = Duration.milliseconds(8)
    /// The clock of its next key.
    package var now = Duration.seconds(1)

    package init(_ layout: KeyboardLayout = .us, habits: KeyTyping.Habits = KeyTyping.Habits()) {
        typing = KeyTyping(layout, habits: habits)
    }

    /// The layout has no key for a character of a text.
    package struct NoKey: Error {}

    /// What a text comes as.
    package mutating func type(_ text: String) throws -> [KeyInput] {
        guard let reports = typing.reports(text.utf8) else { throw NoKey() }
        return inputs(reports)
    }

    /// Reports, with gaps between them.
    package mutating func inputs(_ reports: [[UInt8]]) -> [KeyInput] {
        var last = [UInt8](repeating: 0, count: 8)
        return reports.map { report in
            defer { (now, last) = (now + gap, report) }
            switch way {
            case .reports: return KeyInput(.report(report), at: now)
            case .codes: return KeyInput(.keys(Self.changes(from: last, to: report)), at: now)
            }
        }
    }

    /// What evdev says of two reports one after the other, as the kernel has it: modifiers, keys that went up, keys that went down.
    package static func changes(from last: [UInt8], to next: [UInt8]) -> [KeyChange] {
        let modifiers: [UInt16] = [29, 42, 56, 125, 97, 54, 100, 126]
        var changes: [KeyChange] = []
        for (bit, code) in modifiers.enumerated() {
            let was = last[0] >> bit & 1, isDown = next[0] >> bit & 1
            if was != isDown { changes.append(KeyChange(code, isDown == 1 ? .down : .up)) }
        }
        let codes = [last, next].map { report in
            report.dropFirst(2).filter { $0 > 3 }.compactMap(KeyCode.of)
        }
        changes += codes[0].filter { !codes[1].contains($0) }.map { KeyChange($0, .up) }
        changes += codes[1].filter { !codes[0].contains($0) }.map { KeyChange($0, .down) }
        return changes
    }

    /// Time passes without a key.
    package mutating func pause(_ duration: Duration) { now += duration }
}
