import DeviceIO

/// Whether something is in any of the jacks that were told of.
struct JackPresence: Sendable, Hashable {
    /// More jacks than a card has.
    private static let maximumJacks = 32

    private var states: [String: Bool] = [:]
    /// What told of the jacks is gone; what tells next tells of all that are there.
    private var isStale = false

    /// The jack that tells: the one that something is in, else the first by name.
    var name: String? { states.filter(\.value).keys.min() ?? states.keys.min() }
    var isIn: Bool { states.values.contains(true) }

    mutating func heard(_ state: JackState) {
        if isStale { self = JackPresence() }
        guard states[state.name] != nil || states.count < Self.maximumJacks else { return }
        states[state.name] = state.isIn
    }

    /// The control or switch went with its driver. What it said last holds until something tells again: one of another
    /// name may take its place, and the old one would say for ever that something is in it.
    mutating func lost() { isStale = true }
}
