/// One ``SwipeClient/withClaim(_:mode:_:)``: its streams end with the claim.
///
/// `state` only with the connection's lock held.
final class ClaimScope: @unchecked Sendable {
    enum State {
        /// The reader is this client's, or is claimed again as soon as that can be.
        case held
        /// The closure has ended.
        case givenBack
        /// The reader is somebody else's, or the connection is gone for good: why.
        case lost(SwipeClientError)
    }

    let reader: String
    var state = State.held

    init(_ reader: String) { self.reader = reader }
}
