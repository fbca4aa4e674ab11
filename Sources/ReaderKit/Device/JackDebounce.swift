/// Takes the bouncing of a plug out of what a jack tells: a change counts once it has lasted.
///
/// A value without a clock: whoever uses it says what time it is, counted from any moment, and calls ``settle(at:)``
/// when the time that ``report(_:at:)`` gave has come.
package struct JackDebounce: Sendable {
    /// A plug slides over its contacts for some tens of milliseconds.
    package static let usualTime = Duration.milliseconds(200)

    private let time: Duration
    /// What clients were told last.
    package private(set) var isPlugged: Bool
    private var pending: (isPlugged: Bool, due: Duration)?

    package init(isPlugged: Bool = false, time: Duration = JackDebounce.usualTime) {
        self.isPlugged = isPlugged
        self.time = time
    }

    /// The jack changed.
    ///
    /// - Returns: when to call ``settle(at:)``; nil where nothing is open any more, since the plug is back where it was.
    package mutating func report(_ isPlugged: Bool, at now: Duration) -> Duration? {
        guard isPlugged != self.isPlugged else {
            pending = nil
            return nil
        }
        // Told twice, it is no new bounce.
        if let pending { return pending.due }
        pending = (isPlugged, now + time)
        return now + time
    }

    /// The change that has lasted by now: whether something is plugged in. Nil where none has.
    package mutating func settle(at now: Duration) -> Bool? {
        guard let pending, now >= pending.due else { return nil }
        self.pending = nil
        isPlugged = pending.isPlugged
        return isPlugged
    }
}
