/// A line that is being typed: bytes of a terminal in, what is to be done out.
struct LineEditor {
    enum Action: Hashable {
        case none
        /// The line as it is now, finished.
        case entered(String)
        /// The key for completion.
        case complete
        /// Nothing was typed, and nothing more will be.
        case ended
    }

    /// What a key sends after ESC, and what it means.
    private enum Sequence {
        case none
        case escape
        /// Behind `ESC [` or `ESC O`, with the digits so far.
        case control(String)
    }

    static let longestLine = 1000
    static let keptLines = 100

    private(set) var characters: [Character] = []
    private(set) var cursor = 0
    private var history: [String] = []
    /// Which line of the history is shown; that behind the last is the new one.
    private var place = 0
    private var unfinished = ""
    private var sequence = Sequence.none
    private var pending: [UInt8] = []

    var text: String { String(characters) }

    mutating func take(_ byte: UInt8) -> Action {
        switch sequence {
        case .none: return key(byte)
        case .escape:
            let isControl = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")
            sequence = isControl ? .control("") : .none
        case .control(let digits):
            guard (0x30...0x3F).contains(byte) else {
                sequence = .none
                move(byte, digits)
                return .none
            }
            sequence = digits.count < 8 ? .control(digits + String(UnicodeScalar(byte))) : .none
        }
        return .none
    }

    private mutating func key(_ byte: UInt8) -> Action {
        switch byte {
        case 0x0D, 0x0A: return enter()
        case 0x09: return .complete
        case 0x04: return characters.isEmpty ? .ended : .none
        case 0x1B: sequence = .escape
        case 0x7F, 0x08: if cursor > 0 { remove(cursor - 1..<cursor) }
        case 0x01: cursor = 0
        case 0x05: cursor = characters.count
        case 0x03: clear()
        case 0x15: remove(0..<cursor)
        case 0x17: remove(beginningOfWord..<cursor)
        case 0x20...0x7E, 0x80...0xFF: typed(byte)
        default: break
        }
        return .none
    }

    private mutating func move(_ byte: UInt8, _ digits: String) {
        switch (byte, digits) {
        case (UInt8(ascii: "A"), _): show(place - 1)
        case (UInt8(ascii: "B"), _): show(place + 1)
        case (UInt8(ascii: "C"), _): cursor = min(cursor + 1, characters.count)
        case (UInt8(ascii: "D"), _): cursor = max(cursor - 1, 0)
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"): cursor = 0
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"): cursor = characters.count
        case (UInt8(ascii: "~"), "3"): if cursor < characters.count { remove(cursor..<cursor + 1) }
        default: break
        }
    }

    /// A character may come in several bytes.
    private mutating func typed(_ byte: UInt8) {
        pending.append(byte)
        if let text = String(validating: pending, as: UTF8.self) {
            pending = []
            insert(text.printable)
        } else if pending.count >= 4 {
            pending = []
        }
    }

    mutating func insert(_ text: String) {
        guard characters.count + text.count <= Self.longestLine else { return }
        characters.insert(contentsOf: text, at: cursor)
        cursor += text.count
    }

    /// From the blank before the cursor's word on.
    var beginningOfWord: Int {
        var start = cursor
        while start > 0, characters[start - 1] == " " { start -= 1 }
        while start > 0, characters[start - 1] != " " { start -= 1 }
        return start
    }

    private mutating func remove(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private mutating func clear() {
        (characters, cursor, place) = ([], 0, history.count)
    }

    private mutating func enter() -> Action {
        let line = text
        if !line.allSatisfy({ $0 == " " }), line != history.last { history.append(line) }
        history.removeFirst(max(history.count - Self.keptLines, 0))
        clear()
        return .entered(line)
    }

    private mutating func show(_ number: Int) {
        guard (0...history.count).contains(number), number != place else { return }
        if place == history.count { unfinished = text }
        place = number
        characters = Array(number == history.count ? unfinished : history[number])
        cursor = characters.count
    }
}
