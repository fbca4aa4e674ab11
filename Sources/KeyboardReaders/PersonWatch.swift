package import ReaderKit

/// Whether it is a person who types on what was taken for a reader: a keyboard must not be dead for longer than some keys.
///
/// A reader's keys come at least every 60 ms, and none of them moves a cursor. So slow keys among the last ones count, and keys that no
/// swipe has count more; a run of quick keys, which nobody types, begins anew. ASSUMPTION: no reader types more slowly.
package struct PersonWatch: Sendable {
    /// No person is without the keyboard for longer: of so many keys the slow ones count.
    package static let mostKeys = 20
    /// Slower than any reader.
    static let slowGap = Duration.milliseconds(75)
    private static let enough = 6
    private static let strangeKey = 3
    /// A key that repeats so often is held by a person; a radio that stalls holds one for less than half a second.
    private static let heldRepeats = 10
    /// So many in a row are no person's.
    private static let quickRun = 12

    private var keys = KeyState()
    private var last: Duration?
    /// Of the last keys, whether each came slowly.
    private var slow: [Bool] = []
    private var strange = 0
    private var repeats = 0
    private var run = 0

    package init() {}

    /// Whether a person types, as far as keys up to this one tell.
    package mutating func sees(_ input: KeyInput) -> Bool {
        count(repeatsIn: input.content)
        let heard = keys.receive(input.content)
        strange += heard.presses.count(where: Self.isStrange) * Self.strangeKey
        if heard.hasDown { pace(input.time) }
        return slow.count(where: { $0 }) + strange >= Self.enough
    }

    private mutating func count(repeatsIn content: KeyInput.Content) {
        guard case .keys(let changes) = content else { return }
        for change in changes {
            repeats = change.direction == .repeated ? repeats + 1 : 0
            if repeats == Self.heldRepeats { strange += Self.strangeKey }
        }
    }

    private mutating func pace(_ time: Duration) {
        let isSlow = last.map { time - $0 >= Self.slowGap } ?? false
        last = time
        run = isSlow ? 0 : run + 1
        slow.append(isSlow)
        if slow.count > Self.mostKeys { slow.removeFirst() }
        if run >= Self.quickRun { (slow, strange) = ([], 0) }
    }

    /// Escape, Backspace, function keys, the block of arrows, and combinations that are commands.
    private static func isStrange(_ press: KeyPress) -> Bool {
        switch press {
        case .unknown: return true
        case .character: return false
        case .key(let code, _):
            return code == 1 || code == 14 || (59...68).contains(code) || code == 87 || code == 88
                || (99...110).contains(code) && code != KeyCode.rightAlt || code == 119 || code == 127
        }
    }
}
