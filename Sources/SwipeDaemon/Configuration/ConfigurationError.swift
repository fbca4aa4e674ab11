/// A configuration that must not be used: a line for an operator, with file and place, for each thing that is wrong.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package var place: String
    package var reason: String
    /// What else is wrong, each without others of its own.
    package private(set) var others: [ConfigurationError] = []

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    /// Several, in this order; nil where there is none.
    init?(all errors: [ConfigurationError]) {
        guard let first = errors.first else { return nil }
        self.init(place: first.place, reason: first.reason)
        others = errors.dropFirst().map { ConfigurationError(place: $0.place, reason: $0.reason) }
    }

    /// All that is wrong, a line for each: `FILE:LINE: what is wrong and what is allowed`.
    package var lines: [String] { ["\(place): \(reason)"] + others.map { "\($0.place): \($0.reason)" } }

    /// The first of ``lines``, with how many more there are.
    package var description: String {
        let rest = others.isEmpty ? "" : " (and \(others.count) more: swiped --check-config names all)"
        return "\(place): \(reason)\(rest)"
    }
}
