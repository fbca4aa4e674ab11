internal import Logging
internal import SwipeProtocol

/// A line of the log that is due. It is written after every lock is given back: the log may be a pipe that is not read.
struct RefusalLine: Sendable {
    fileprivate let message: Logger.Message
    fileprivate let metadata: Logger.Metadata

    func write(to logger: Logger) { logger.warning(message, metadata: metadata) }
}

/// Says when what is refused is logged, at most one line of a kind in ten seconds: a client that connects in a loop must not
/// fill the disk.
struct RefusalThrottle {
    static let interval: UInt64 = 10_000_000_000

    private struct Throttle {
        var last: UInt64
        var suppressed = 0
    }

    private var throttles: [String: Throttle] = [:]

    mutating func refused(_ code: ByeCode, _ credentials: PeerCredentials) -> RefusalLine? {
        line(
            "client.refused", "client refused",
            ["code": "\(code.rawValue)", "uid": "\(credentials.uid)", "pid": "\(credentials.pid)"])
    }

    mutating func noDescriptor(_ number: Int32) -> RefusalLine? {
        line(
            "client.not_accepted", "the kernel gives no descriptor for a client, or no memory",
            ["errno": "\(number)"])
    }

    mutating func slowClient(_ identity: ClientIdentity) -> RefusalLine? {
        line(
            "client.slow", "client does not read, connection ended",
            ["uid": "\(identity.credentials.uid)", "pid": "\(identity.credentials.pid)"])
    }

    private mutating func line(
        _ event: String, _ message: Logger.Message, _ metadata: Logger.Metadata
    ) -> RefusalLine? {
        let now = EventInstant.monotonic()
        if let throttle = throttles[event], now &- throttle.last < RefusalThrottle.interval {
            throttles[event]?.suppressed += 1
            return nil
        }
        var metadata = metadata
        metadata["event"] = "\(event)"
        if let suppressed = throttles[event]?.suppressed, suppressed > 0 {
            metadata["suppressed"] = "\(suppressed)"
        }
        throttles[event] = Throttle(last: now)
        return RefusalLine(message: message, metadata: metadata)
    }
}
