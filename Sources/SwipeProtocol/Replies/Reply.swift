/// The answer to one request.
package struct Reply: Sendable, Hashable {
    package var id: RequestID
    package var outcome: Result<JSONValue, ErrorReply>

    package static func line(id: RequestID, result: some JSONEncodable) -> EncodedLine {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("result", result)
        writer.endObject()
        return writer.finish()
    }

    package static func line(id: RequestID, error: ErrorReply) -> EncodedLine {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("error", error)
        writer.endObject()
        return writer.finish()
    }

    init(_ object: JSONObject) throws(WireError) {
        id = try object["id"].map { json throws(WireError) in try RequestID(json: json) } ?? .none
        if let error: ErrorReply = try object.optional("error") {
            outcome = .failure(error)
        } else {
            outcome = .success(object["result"] ?? .null)
        }
    }
}

/// A result without content: `{}`.
package struct EmptyResult: JSONEncodable, Sendable {
    package init() {}

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.endObject()
    }
}
