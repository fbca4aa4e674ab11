package import ReaderKit

/// Whether it is a person who types on what was taken for a reader: a keyboard must not be dead for longer than some keys.
///
/// A reader's keys come at least every 60 ms, and none of them moves a cursor. So slow keys count, and keys that no swipe has count
/// more; a run of quick keys, which nobody types, begins anew. ASSUMPTION: no reader types more slowly.
package struct PersonWatch: Sendable {
    /// No person is without the keyboard for longer.
    package static let mostKeys = 20
    /// Slower than any reader.
    static let slowGap = Duration.milliseconds(75)
    /// Behind a longer pause another swipe may begin, or another word.
    static let pause = Duration.seconds(2)
    private static let enough = 6
    private static let strangeKey = 3
    /// So many quick keys take a slow one back: a reader that types characters by their numbers has a longer gap between each.
    private static let quickForSlow = 2
    /// So many in a row are no person's.
    private static let quickRun = 12

    private var keys = KeyState()
    private var last: Duration?
    /// Slow keys, those taken back left out, and keys that no swipe has.
    private var slow = 0
    private var strange = 0
    private var quick = 0
    private var run = 0

    package init() {}

    /// Whether a person types, as far as keys up to this one tell.
    package mutating func sees(_ input: KeyInput) -> Bool {
        if case .keys(let changes) = input.content, changes.contains(where: { $0.direction == .repeated }) {
            strange += 1
        }
        let heard = keys.receive(input.content)
        strange += heard.presses.count(where: Self.isStrange) * Self.strangeKey
        if heard.hasDown { pace(input.time) }
        return slow + strange >= Self.enough
    }

    private mutating func pace(_ time: Duration) {
        let gap = last.map { time - $0 } ?? Self.pause
        last = time
        guard gap < Self.slowGap else {
            if gap < Self.pause { slow += 1 }
            (run, quick) = (0, 0)
            return
        }
        (run, quick) = (run + 1, quick + 1)
        if quick == Self.quickForSlow { (slow, quick) = (max(slow - 1, 0), 0) }
        if run >= Self.quickRun { (slow, strange) = (0, 0) }
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
