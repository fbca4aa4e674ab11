import Logging
import NIOConcurrencyHelpers
import ServiceSupport

/// The daemon's loggers, whose level can change while they are in use.
final class DaemonLog: Sendable {
    private let current = NIOLockedValueBox<Logger.Level>(.info)
    private let handler: JournalLogHandler

    init(_ handler: JournalLogHandler) { self.handler = handler }

    /// The least important level that is written.
    var level: Logger.Level {
        get { current.withLockedValue { $0 } }
        set { current.withLockedValue { $0 = newValue } }
    }

    /// A logger that follows ``level``.
    var logger: Logger {
        let (handler, current) = (handler, current)
        return Logger(label: "swiped") { _ in
            LevelledLogHandler(handler: handler, current: current)
        }
    }
}

/// Asks for the level at each message.
private struct LevelledLogHandler: LogHandler {
    var handler: JournalLogHandler
    let current: NIOLockedValueBox<Logger.Level>

    var logLevel: Logger.Level {
        get { current.withLockedValue { $0 } }
        set { current.withLockedValue { $0 = newValue } }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { handler.log(event: event) }
}
