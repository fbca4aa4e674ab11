internal import NIOCore
internal import NIOHTTP1
internal import SwipeProtocol

/// What is answered to a request: a status, headers and a body. Nothing of it may be kept, framed, sniffed or loaded by a page
/// of another origin, except what is for an origin that the configuration names.
struct Answer: Sendable {
    var status: HTTPResponseStatus
    var headers = HTTPHeaders()
    var body = ByteBuffer()

    /// - Parameter origin: the page that may read the answer; nil for none but the gateway's own.
    private init(_ status: Int, for origin: WebOrigin?) {
        self.status = HTTPResponseStatus(statusCode: status)
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Referrer-Policy", value: "no-referrer")
        headers.add(name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'")
        guard let origin else {
            headers.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
            return
        }
        headers.add(name: "Access-Control-Allow-Origin", value: origin.description)
        headers.add(name: "Vary", value: "Origin")
    }

    static func json(_ value: JSONValue, _ status: Int = 200, for origin: WebOrigin?) -> Answer {
        var answer = Answer(status, for: origin)
        var writer = JSONWriter()
        value.write(to: &writer)
        answer.headers.add(name: "Content-Type", value: "application/json")
        answer.body = writer.finish().withBytes { ByteBuffer(bytes: $0) }
        return answer
    }

    /// - Parameter allowed: the method that is right at this path.
    static func refusal(_ why: Refusal, for origin: WebOrigin?, allowed: String?) -> Answer {
        var answer = json(
            ["error": ["code": .string(why.rawValue), "message": .string(why.words)]], why.status, for: origin
        )
        // RFC 6455, 4.2.2; RFC 9110, 15.5.22.
        if why == .notAWebSocket {
            answer.headers.add(name: "Upgrade", value: "websocket")
            answer.headers.add(name: "Sec-WebSocket-Version", value: "13")
        }
        // RFC 9110, 15.5.2 and 15.5.6.
        if why.status == 401 { answer.headers.add(name: "WWW-Authenticate", value: "Bearer") }
        if why == .methodWrong, let allowed { answer.headers.add(name: "Allow", value: allowed) }
        return answer
    }

    /// A file of the live page, which may load nothing but the others, and connect to nothing but the gateway.
    ///
    /// - Parameter host: the name under which the page was asked for.
    static func file(_ file: WebFile, host: String, isTLS: Bool) -> Answer {
        var answer = Answer(200, for: nil)
        let socket = "\(isTLS ? "wss" : "ws")://\(host)"
        answer.headers.replaceOrAdd(name: "Cache-Control", value: "no-cache")
        answer.headers.add(name: "Content-Type", value: file.type)
        answer.headers.replaceOrAdd(
            name: "Content-Security-Policy",
            value: "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
                + "connect-src 'self' \(socket); base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
        answer.headers.add(name: "Cross-Origin-Opener-Policy", value: "same-origin")
        answer.headers.add(name: "X-Frame-Options", value: "DENY")
        answer.body = file.content
        return answer
    }

    /// The answer to a browser that asks for a page of an allowed origin.
    static func preflight(for origin: WebOrigin, asksForPrivateNetwork: Bool) -> Answer {
        var answer = Answer(204, for: origin)
        answer.headers.add(name: "Access-Control-Allow-Methods", value: "GET, POST")
        answer.headers.add(
            name: "Access-Control-Allow-Headers", value: "Authorization, Content-Type, Last-Event-ID")
        answer.headers.add(name: "Access-Control-Max-Age", value: "600")
        // Chrome asked so before version 142, which asks people instead (Local Network Access).
        if asksForPrivateNetwork {
            answer.headers.add(name: "Access-Control-Allow-Private-Network", value: "true")
        }
        return answer
    }

    /// The head of a stream of events.
    static func stream(for origin: WebOrigin?) -> Answer {
        var answer = Answer(200, for: origin)
        answer.headers.add(name: "Content-Type", value: "text/event-stream")
        return answer
    }
}
