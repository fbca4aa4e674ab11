/// The answer to `claim`.
package struct ClaimGrant: Sendable, Hashable {
    package var reader: String
    /// Names the claim after an interruption.
    package var token: String

    package init(reader: String, token: String) {
        self.reader = reader
        self.token = token
    }
}

extension ClaimGrant: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("reader", reader)
        writer.field("token", token)
        writer.endObject()
    }
}
