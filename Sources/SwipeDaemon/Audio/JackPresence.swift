import DeviceIO

/// Whether something is in any of the jacks that were reported.
struct JackPresence: Sendable, Hashable {
    /// More jacks than a card has.
    private static let maximumJacks = 32

    private var states: [String: Bool] = [:]
    /// The source of the reports is gone; the next one reports all jacks that are there.
    private var isStale = false

    /// The jack that decides: the one that something is in, else the first by name.
    var name: String? { states.filter(\.value).keys.min() ?? states.keys.min() }
    var isIn: Bool { states.values.contains(true) }

    mutating func heard(_ state: JackState) {
        if isStale { self = JackPresence() }
        guard states[state.name] != nil || states.count < Self.maximumJacks else { return }
        states[state.name] = state.isIn
    }

    /// The control or switch went with its driver. Its last state counts until the next report: one of another name may
    /// replace it, and the old one would say for ever that something is in it.
    mutating func lost() { isStale = true }
}
