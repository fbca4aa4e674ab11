/// What a client needs for a method, in the words of docs/protocol.md. Its roles are looked at before anything else.
package enum MethodNeed: String, Sendable, Hashable, CaseIterable {
    /// A role, whichever.
    case nothing = "–"
    /// A role beside `status`.
    case moreThanStatus = "more than `status`"
    /// A claim on the reader, which takes more than `status`, or the role `admin`.
    case claimOrAdmin = "claim or admin"
    /// The role `admin`.
    case admin

    /// Why a client with these roles may not; nil where it may, as far as its roles go.
    package func refusal(of method: Method, to roles: Set<Role>) -> ErrorReply? {
        let isStatusAlone = roles.isSubset(of: [.status])
        let missing: String? =
            switch self {
            case .nothing: nil
            case .moreThanStatus: isStatusAlone ? "more than the role status" : nil
            case .claimOrAdmin: isStatusAlone ? "a claim, for which the role status is not enough" : nil
            case .admin: roles.contains(.admin) ? nil : "the role admin"
            }
        return missing.map { ErrorReply(.accessDenied, "'\(method.rawValue)' needs \($0)") }
    }
}
