import HIDReaders

/// Keys without a longer pause between them: a swipe, a part of one, or what a person types.
struct KeyBurst: Sendable {
    /// Three of the longest streams, as on a line.
    static let maximumPresses = ReaderText.maximumCharacters

    private(set) var presses: [KeyPress] = []
    /// Also those that were not kept.
    private(set) var count = 0
    /// Keys are missing.
    var isBroken = false
    /// It came so soon behind a swipe that broke off that it may be the rest of that.
    var isRest = false
    /// It was waited for longer than its pace: another track may follow.
    var isExtended = false
    private(set) var pace = KeyPace()
    private(set) var last: Duration?

    var isTooLong: Bool { count > Self.maximumPresses }
    var isEmpty: Bool { count == 0 && !isBroken }

    /// What came at one time.
    mutating func add(_ heard: KeyState.Heard, at time: Duration) {
        for press in heard.presses {
            // What ends the line of the swipe before, once more.
            if count == 0, press.isEnter { continue }
            count += 1
            if count <= Self.maximumPresses { presses.append(press) }
        }
        guard heard.hasDown, count > 0 else { return }
        if let last { pace.add(time - last) }
        last = time
    }

    /// How many lines hold something.
    var lines: Int { presses.split(whereSeparator: \.isEnter).count }
    var endsWithEnter: Bool { presses.last?.isEnter ?? false }
}
