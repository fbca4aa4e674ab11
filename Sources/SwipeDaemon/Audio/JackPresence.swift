import DeviceIO

/// Whether something is in any of the jacks that were told of.
struct JackPresence: Sendable, Hashable {
    /// More jacks than a card has.
    private static let maximumJacks = 32

    private var states: [String: Bool] = [:]

    /// The jack that tells: the one that something is in, else the first by name.
    var name: String? { states.filter(\.value).keys.min() ?? states.keys.min() }
    var isIn: Bool { states.values.contains(true) }

    mutating func heard(_ state: JackState) {
        guard states[state.name] != nil || states.count < Self.maximumJacks else { return }
        states[state.name] = state.isIn
    }
}
