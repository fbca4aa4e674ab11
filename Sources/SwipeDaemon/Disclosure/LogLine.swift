import CardData
import Logging
import ReaderKit

/// What the log says of an event: a stable name to search by, a sentence, and nothing that a card says.
struct LogLine: Sendable {
    var level: Logger.Level
    var name: String
    var message: String
    var metadata: Logger.Metadata = [:]

    static func of(_ event: ReaderEvent) -> LogLine {
        switch event {
        case .connect(let details):
            LogLine(
                level: .info, name: "reader.connect", message: "reader attached", metadata: words(details))
        case .identified(let details):
            LogLine(
                level: .info, name: "reader.identify", message: "reader identified", metadata: words(details))
        case .activate(let result, let why):
            LogLine(
                level: result == .success ? .info : .warning, name: "reader.activate",
                message: result == .success ? "reader powered up" : "reader not powered up",
                metadata: ["result": "\(result.rawValue)", "why": why.map { "\($0)" } ?? "-"])
        case .deactivate(let reason):
            LogLine(
                level: .info, name: "reader.deactivate", message: "reader powered down",
                metadata: ["reason": "\(reason.rawValue)"])
        case .ready: LogLine(level: .debug, name: "reader.ready", message: "reader accepts swipes")
        case .unready(let reason):
            LogLine(
                level: .debug, name: "reader.unready", message: "reader stopped accepting swipes",
                metadata: ["reason": "\(reason.rawValue)"])
        case .swipeStarted: LogLine(level: .debug, name: "reader.swipe_start", message: "a card is passing")
        case .swipe(let swipe): self.swipe(swipe)
        case .disconnect(let reason):
            LogLine(
                level: .info, name: "reader.disconnect", message: "reader gone",
                metadata: ["reason": "\(reason.rawValue)"])
        case .notice(let notice): self.notice(notice)
        case .promptShown(let prompt):
            LogLine(
                level: .info, name: "reader.prompt", message: "a question or a message for people",
                metadata: ["prompt": "\(prompt.kind.rawValue)"])
        case .promptClosed(_, let closure):
            LogLine(
                level: .info, name: "reader.prompt_closed", message: "a prompt is over",
                metadata: ["how": "\(closure.rawValue)"])
        case .testCompleted(let answered, let why):
            LogLine(
                level: .info, name: "reader.test",
                message: answered ? "reader answered the test" : "reader did not answer the test",
                metadata: ["why": why.map { "\($0)" } ?? "-"])
        case .autodetectStarted:
            LogLine(level: .info, name: "reader.autodetect", message: "looking for the kind of reader")
        case .autodetectCompleted(let result, _):
            LogLine(
                level: .info, name: "reader.autodetected", message: "the search for the kind of reader ended",
                metadata: ["result": "\(result.rawValue)"])
        }
    }

    private static func notice(_ notice: ReaderNotice) -> LogLine {
        switch notice {
        case .malformed(let what):
            LogLine(
                level: .warning, name: "reader.malformed", message: "reader broke its protocol, ignoring",
                metadata: ["what": "\(what)"])
        case .overrun(let count):
            LogLine(
                level: .warning, name: "reader.overrun",
                message:
                    "input was lost, the machine was too busy; a swipe at that moment is damaged or missing",
                metadata: ["count": "\(count)"])
        }
    }

    /// Each track's status by name; no text, no number, no name.
    private static func swipe(_ swipe: Swipe) -> LogLine {
        let tracks = swipe.tracks.map { "\($0.track):\(status($0.outcome))" }.joined(separator: ",")
        return LogLine(
            level: .info, name: "reader.swipe",
            message: swipe.card == nil ? "swipe not readable" : "swipe read",
            metadata: [
                "tracks": "\(tracks.isEmpty ? "-" : tracks)", "card": "\(swipe.card?.kind ?? "-")",
                "hint": "\(swipe.quality.hint?.rawValue ?? "-")",
            ])
    }

    private static func status(_ outcome: TrackOutcome) -> String {
        switch outcome {
        case .read: "ok"
        case .repaired: "repaired"
        case .encrypted: "encrypted"
        case .empty: "empty"
        case .refused(let refusal): refusal.code
        }
    }

    private static func words(_ details: ReaderDetails) -> Logger.Metadata {
        [
            "model": "\(details.model)", "serial": "\(details.serial ?? "-")",
            "encryption": "\(details.encryption.rawValue)",
        ]
    }
}
