internal import SwipeProtocol

/// What a request comes to, for the connection that asked.
enum Answer {
    /// The line of the answer, or of the error.
    case line(EncodedLine)
    /// What the client is subscribed to from now on, nil for nothing, and what it gets in this order.
    case subscribed(Subscription?, [Line])
    /// Who the client is from now on, with less than before, and the line of the answer.
    case narrowed(ClientIdentity, EncodedLine)
    /// Given already: what follows from the request has to come after it.
    case given
    /// It comes with ``ConnectionHandler/answered(_:)``; until then no other request is done.
    case later
    /// The same, and a reader or the daemon does it: what they take is no time of the client's.
    case control

    struct Line {
        var delivery: Delivery
        var isReplay = false
    }
}
