internal import SwipeProtocol

/// The tokens that were given out, as hashes: by them a page is known again.
struct TokenStore: Sendable {
    struct Entry: Sendable, Hashable {
        /// The first part of the token, which is no secret.
        var id: String
        var origin: WebOrigin
        var isOperator: Bool
        /// Unix time, in seconds.
        var madeAt: Int64
        var hash: String
    }

    /// In the order in which they were given out.
    private(set) var entries: [Entry] = []
    /// Of ids that were never given out; and of each that was, whose secret is wrong. Apart, so that who guesses shuts out
    /// nobody who knows.
    private var unknown = RateLimit(perMinute: wrongPerMinute)
    private var wrong: [String: RateLimit] = [:]

    static let maximum = 256
    /// Wrong tokens in a minute.
    static let wrongPerMinute = 60
    static let maximumBytes = 1_024 * 1_024
    private static let maximumToken = 128

    /// Makes a token, `ID.SECRET`; its hash alone stays. Where there are too many, the oldest goes, and is returned.
    mutating func issue(to origin: WebOrigin, isOperator: Bool, at time: Int64) -> (
        token: String, entry: Entry, oldest: Entry?
    )? {
        let (id, secret) = (Secret.name(), Secret.make())
        guard let hash = Secret.hash(secret) else { return nil }
        let entry = Entry(id: id, origin: origin, isOperator: isOperator, madeAt: time, hash: hash)
        let oldest = entries.count < Self.maximum ? nil : entries.first.flatMap { revoke($0.id) }
        entries.append(entry)
        return ("\(id).\(secret)", entry, oldest)
    }

    /// - Parameter now: in CLOCK_MONOTONIC nanoseconds.
    mutating func check(_ token: String, at now: UInt64) throws(Refusal) -> Entry {
        let parts = token.utf8.count <= Self.maximumToken ? token.split(separator: ".") : []
        guard parts.count == 2, let entry = entries.first(where: { $0.id == parts[0] }) else {
            throw unknown.take(at: now) ? .tokenUnknown : .tokenTooOften
        }
        // The secret is looked at first: logs name ids, and who knows one must not shut out who knows the secret.
        guard Secret.matches(String(parts[1]), entry.hash) else {
            let limit = RateLimit(perMinute: Self.wrongPerMinute)
            throw wrong[entry.id, default: limit].take(at: now) ? .tokenUnknown : .tokenTooOften
        }
        return entry
    }

    mutating func revoke(_ id: String) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        wrong[id] = nil
        return entries.remove(at: index)
    }

    // MARK: The file

    /// A line of JSON for each.
    var text: String { entries.map { Self.line($0) }.joined() }

    private static func line(_ entry: Entry) -> String {
        var writer = JSONWriter()
        let value: JSONValue = [
            "id": .string(entry.id), "origin": .string(entry.origin.description),
            "operator": .bool(entry.isOperator),
            "made_at": .integer(entry.madeAt), "hash": .string(entry.hash),
        ]
        value.write(to: &writer)
        return writer.finish().text
    }

    /// What a file says.
    ///
    /// - Returns: the number of the line that is none; nil where all are good.
    mutating func read(_ text: String) -> Int? {
        for (index, line) in text.split(separator: "\n").enumerated() {
            guard let object = (try? JSONReader.value(of: Array(line.utf8)))?.object,
                let id = object["id"]?.string,
                let origin = object["origin"]?.string.flatMap({ WebOrigin($0) }),
                let isOperator = object["operator"]?.bool, let madeAt = object["made_at"]?.integer,
                let hash = object["hash"]?.string, entries.count < Self.maximum
            else { return index + 1 }
            entries.append(Entry(id: id, origin: origin, isOperator: isOperator, madeAt: madeAt, hash: hash))
        }
        return nil
    }
}
