internal import Logging
internal import SwipeProtocol

/// Logs what is refused, at most one line of a kind in ten seconds: whoever knocks in a loop fills no disk.
struct RefusalLogger {
    static let interval: UInt64 = 10_000_000_000

    private struct Throttle {
        var last: UInt64
        var suppressed = 0
    }

    private let logger: Logger
    private var throttles: [String: Throttle] = [:]

    init(_ logger: Logger) { self.logger = logger }

    mutating func refused(_ code: ByeCode, _ credentials: PeerCredentials) {
        log(
            "client.refused", "client turned away",
            ["code": "\(code.rawValue)", "uid": "\(credentials.uid)", "pid": "\(credentials.pid)"])
    }

    mutating func noDescriptor(_ number: Int32) {
        log(
            "client.not_accepted", "the kernel gives no descriptor for a client, or no memory",
            ["errno": "\(number)"])
    }

    mutating func slowClient(_ identity: ClientIdentity?) {
        guard let identity else { return }
        log(
            "client.slow", "client does not read, connection ended",
            ["uid": "\(identity.credentials.uid)", "pid": "\(identity.credentials.pid)"])
    }

    private mutating func log(_ event: String, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        let now = EventInstant.monotonic()
        if let throttle = throttles[event], now &- throttle.last < RefusalLogger.interval {
            throttles[event]?.suppressed += 1
            return
        }
        var metadata = metadata
        metadata["event"] = "\(event)"
        if let suppressed = throttles[event]?.suppressed, suppressed > 0 {
            metadata["suppressed"] = "\(suppressed)"
        }
        throttles[event] = Throttle(last: now)
        logger.warning(message, metadata: metadata)
    }
}
