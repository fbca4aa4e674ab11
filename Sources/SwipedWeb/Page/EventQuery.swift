internal import SwipeProtocol

/// What a page that only listens asks for: `GET /v1/events?events=swipe,ready&readers=…&since=INSTANCE:SEQ&stats=yes`.
struct EventQuery: Sendable {
    private(set) var events: [String]?
    private(set) var readers: [String]?
    private(set) var since: (instance: String, sequence: Int64)?
    private(set) var wantsStatistics = false

    /// Nil where a name is none of these, or a value cannot be read.
    init?(_ query: String, lastEvent: String) {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = Self.plain(parts[1]) else { return nil }
            switch parts[0] {
            case "events": events = value.split(separator: ",").map(String.init)
            case "readers": readers = value.split(separator: ",").map(String.init)
            case "since":
                guard let point = Self.point(value) else { return nil }
                since = point
            case "stats": wantsStatistics = value == "yes"
            case _: return nil
            }
        }
        // What the browser remembers is later than what the page asked for first.
        if !lastEvent.isEmpty {
            guard let point = Self.point(lastEvent) else { return nil }
            since = point
        }
    }

    private static func point(_ text: String) -> (String, Int64)? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let sequence = Int64(parts[1]) else { return nil }
        return (String(parts[0]), sequence)
    }

    /// Without percent signs; a plus is a blank.
    private static func plain(_ text: Substring) -> String? {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    static let subscribeID = "events"
    static let statisticsID = "stats"

    /// The request to the daemon.
    var line: EncodedLine {
        var params: [JSONObject.Member] = [JSONObject.Member("snapshot", true)]
        if let events { params.append(JSONObject.Member("events", .array(events.map { .string($0) }))) }
        if let readers { params.append(JSONObject.Member("readers", .array(readers.map { .string($0) }))) }
        if let since {
            params.append(
                JSONObject.Member(
                    "since", ["instance": .string(since.instance), "seq": .integer(since.sequence)]))
        }
        return Self.line(Self.subscribeID, "subscribe", .object(JSONObject(params)))
    }

    static var statisticsLine: EncodedLine { line(statisticsID, "stats", [:]) }

    private static func line(_ id: String, _ method: String, _ params: JSONValue) -> EncodedLine {
        var writer = JSONWriter()
        let value: JSONValue = ["id": .string(id), "method": .string(method), "params": params]
        value.write(to: &writer)
        return writer.finish()
    }
}
