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

extension ClaimGrant: WireObject {
    package static var blank: ClaimGrant { ClaimGrant(reader: "", token: "") }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("reader", &reader)
        try fields.required("token", &token)
    }
}
