/// Why a request is not answered as it was asked, under the name that the log and the answer have.
package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
    /// No `Host`, or two.
    case hostMissing = "host.missing"
    /// A `Host` that is not one of this listener's own: a name that was bent to this machine, among others.
    case hostForeign = "host.foreign"
    /// `Origin: null`: a sandboxed frame, a file, a redirect.
    case originNull = "origin.null"
    /// An `Origin` that the configuration does not name, or two of them.
    case originForeign = "origin.foreign"
    /// No `Origin` and no token, where one of them is needed.
    case originMissing = "origin.missing"
    /// A page of another site asks for something that is not a page to look at.
    case crossSite = "fetch.cross_site"
    case tokenMissing = "token.missing"
    case tokenUnknown = "token.unknown"
    /// A token that was given to another origin.
    case tokenOfAnotherOrigin = "token.other_origin"
    /// Too many wrong tokens of late.
    case tokenTooOften = "token.too_often"
    /// It needs a token of an operator.
    case notAnOperator = "token.not_operator"
    case pairingUnknown = "pairing.unknown"
    /// The token was collected already.
    case pairingUsed = "pairing.used"
    case pairingExpired = "pairing.expired"
    case pairingOfAnotherOrigin = "pairing.other_origin"
    case pairingTooMany = "pairing.too_many"
    case pairingTooOften = "pairing.too_often"
    /// What came is no HTTP, or two readings of it.
    case requestMalformed = "request.malformed"
    case pathUnknown = "request.path"
    case methodWrong = "request.method"
    case queryWrong = "request.query"
    case bodyWrong = "request.body"
    case bodyTooLong = "request.too_long"
    /// What is a WebSocket is asked for as something else, or in another version.
    case notAWebSocket = "request.upgrade"
    case subprotocolMissing = "request.subprotocol"
    case tooManyPages = "pages.too_many"
    case tooManyConnections = "connections.too_many"
    case requestTooSlow = "connections.idle"
    /// The gateway has no descriptor left; the connection waits until there is one.
    case noDescriptor = "connections.no_descriptor"
    /// What a page did that WebSocket or the protocol does not allow.
    case frameMalformed = "frame.malformed"
    case frameTooLong = "frame.too_long"
    case frameNotALine = "frame.not_a_line"
    case pageTooSlow = "page.slow"

    /// HTTP's number for it.
    var status: Int {
        switch self {
        case .hostMissing, .requestMalformed, .queryWrong, .bodyWrong, .subprotocolMissing, .frameMalformed,
            .frameNotALine:
            400
        case .hostForeign: 421
        case .tokenMissing, .tokenUnknown: 401
        case .originNull, .originForeign, .originMissing, .crossSite, .tokenOfAnotherOrigin, .notAnOperator,
            .pairingOfAnotherOrigin:
            403
        case .pathUnknown, .pairingUnknown: 404
        case .methodWrong: 405
        case .requestTooSlow: 408
        case .pairingUsed, .pairingExpired: 410
        case .bodyTooLong, .frameTooLong: 413
        case .notAWebSocket: 426
        case .tokenTooOften, .pairingTooMany, .pairingTooOften: 429
        case .tooManyPages, .tooManyConnections, .noDescriptor, .pageTooSlow: 503
        }
    }

    /// What happened and what to do, for people.
    var words: String {
        switch self {
        case .hostMissing: "the request names no host, or two"
        case .hostForeign: "the gateway is asked for under localhost, 127.0.0.1 or [::1] and its port only"
        case .originNull: "a page without an origin (a sandboxed frame, a file) cannot use the gateway"
        case .originForeign: "swiped-web.conf has no [origin ...] section for this page's origin"
        case .originMissing: "a program without an origin needs a token: Authorization: Bearer"
        case .crossSite: "another site's page asks for something that is not a page"
        case .tokenMissing: "pair this page first: it needs a token"
        case .tokenUnknown: "there is no such token any more: pair the page again"
        case .tokenOfAnotherOrigin: "the token was given to another origin"
        case .tokenTooOften: "too many wrong tokens: wait a minute"
        case .notAnOperator: "it needs an operator's session: swipectl web pair --operator CODE"
        case .pairingUnknown: "there is no such pairing"
        case .pairingUsed: "the token of this pairing was collected already"
        case .pairingExpired: "the pairing was not confirmed in time: ask again"
        case .pairingOfAnotherOrigin: "another origin asked for this pairing"
        case .pairingTooMany: "too many pairings wait already"
        case .pairingTooOften: "too many attempts: wait a minute"
        case .requestMalformed: "the request is not HTTP as it should be"
        case .pathUnknown: "there is nothing at this path"
        case .methodWrong: "this path is not used with this method"
        case .queryWrong:
            "the query is not one of events=, readers=, since=INSTANCE:SEQ and stats=yes, or Last-Event-ID not INSTANCE:SEQ"
        case .bodyWrong: "the body is not the JSON object that is wanted, or not sent as application/json"
        case .bodyTooLong: "the body is too long"
        case .notAWebSocket: "this is a WebSocket: it needs Upgrade: websocket and Sec-WebSocket-Version: 13"
        case .subprotocolMissing: "the WebSocket does not offer the subprotocol swipe.1"
        case .tooManyPages:
            "as many pages are connected as [server] max_pages allows, and no origin has more of them than its share"
        case .tooManyConnections: "too many connections at once; the oldest without a request made room"
        case .requestTooSlow: "no request came in time"
        case .noDescriptor:
            "no descriptor is left for another connection: it waits; raise LimitNOFILE or lower [server] max_pages"
        case .frameMalformed: "the page broke WebSocket's rules"
        case .frameTooLong: "the page's message is longer than a line may be"
        case .frameNotALine: "a message must be one line of text"
        case .pageTooSlow: "the page did not read"
        }
    }
}
