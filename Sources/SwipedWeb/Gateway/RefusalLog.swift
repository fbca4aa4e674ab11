internal import Logging

/// Names each refusal in the log: one of a kind in ten seconds, and how many were left out.
struct RefusalLog: Sendable {
    private struct Seen: Sendable {
        var at: UInt64
        var leftOut = 0
    }

    private static let pause: UInt64 = 10_000_000_000
    private let logger: Logger
    private var seen: [Refusal: Seen] = [:]

    init(_ logger: Logger) { self.logger = logger }

    /// - Parameters:
    ///   - details: what the request said; cut and cleaned by the log.
    ///   - now: in CLOCK_MONOTONIC nanoseconds.
    mutating func refused(_ why: Refusal, _ details: [String: String], at now: UInt64) {
        if let last = seen[why], now - last.at < Self.pause {
            seen[why]?.leftOut += 1
            return
        }
        var metadata: Logger.Metadata = ["event": "web.refused", "reason": "\(why.rawValue)"]
        for (key, value) in details where !value.isEmpty { metadata[key] = "\(value)" }
        if let leftOut = seen[why]?.leftOut, leftOut > 0 { metadata["more"] = "\(leftOut)" }
        seen[why] = Seen(at: now)
        logger.notice("refused: \(why.words)", metadata: metadata)
    }
}
