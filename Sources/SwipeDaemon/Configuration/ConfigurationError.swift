/// A configuration that must not be used: a line for an operator, with file and place, for each thing that is wrong.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package var place: String
    package var reason: String
    /// What else is wrong, each without others of its own.
    package private(set) var others: [ConfigurationError] = []
    /// A line for each name under `[access]` that this system does not know, where more is wrong than that.
    package var unknownNames: [String] = []

    package init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    /// Several, those of a file in the order of its lines; nil where there is none.
    init?(all errors: [ConfigurationError]) {
        var files: [Substring] = []
        for error in errors where !files.contains(error.filePlace.file) { files.append(error.filePlace.file) }
        let sorted = files.flatMap { file in
            errors.filter { $0.filePlace.file == file }.sorted { $0.filePlace.line < $1.filePlace.line }
        }
        guard let first = sorted.first else { return nil }
        self.init(place: first.place, reason: first.reason)
        others = sorted.dropFirst().map { ConfigurationError(place: $0.place, reason: $0.reason) }
    }

    /// `FILE:LINE`, or a file alone.
    private var filePlace: (file: Substring, line: Int) {
        guard let colon = place.lastIndex(of: ":"), let line = Int(place[place.index(after: colon)...]) else {
            return (place[...], 0)
        }
        return (place[..<colon], line)
    }

    /// All that is wrong, a line for each: `FILE:LINE: what is wrong and what is allowed`.
    package var lines: [String] { ["\(place): \(reason)"] + others.map { "\($0.place): \($0.reason)" } }

    /// The first of ``lines``, with how many more there are.
    package var description: String {
        let rest = others.isEmpty ? "" : " (and \(others.count) more: swiped --check-config names all)"
        return "\(place): \(reason)\(rest)"
    }
}
