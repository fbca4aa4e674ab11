import Logging
import NIOConcurrencyHelpers
import ReaderKit

/// Writes what the log says of readers' events, on a task of its own: the words cost as much as an event, and whatever
/// standard error leads to may block.
///
/// The task wakes a little later and writes what has come until then: at once, it would wake on a processor on which a client is
/// about to read the line (docs/decisions/0208). An entry holds nothing that a card says.
final class EventLog: Sendable {
    /// Entries that wait during a slow write. More are left out, and counted.
    private static let maximumWaiting = 1_024

    struct Entry: Sendable {
        var line: LogLine
        var reader: String
        var attachment: UInt64

        init(_ announcement: ReaderAnnouncement) {
            line = LogLine.of(announcement.step.event)
            reader = announcement.reader.id
            attachment = announcement.reader.attachment
        }
    }

    private struct Waiting {
        var entries: [Entry] = []
        var leftOut = 0
        /// Whether the task will wake for what waits.
        var isExpected = false
    }

    private let waiting = NIOLockedValueBox(Waiting())
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let wake: AsyncStream<Void>.Continuation
    private let writer: Task<Void, Never>
    private let complaints = NIOLockedValueBox(ComplaintLimit())
    /// What a reader that sends nonsense makes line after line of.
    private static let complaintNames: Set<String> = ["reader.malformed", "reader.overrun"]

    /// - Parameter later: runs what it is given in a little while.
    init(_ logger: Logger, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        self.later = later
        writer = Task.detached { [waiting] in
            for await _ in wakes { Self.write(Self.take(waiting), logger) }
            Self.write(Self.take(waiting), logger)
        }
    }

    /// Never waits.
    func add(_ entry: Entry) {
        guard let entry = limited(entry) else { return }
        let isFirst = waiting.withLockedValue { waiting in
            guard waiting.entries.count < Self.maximumWaiting else {
                waiting.leftOut += 1
                return false
            }
            waiting.entries.append(entry)
            defer { waiting.isExpected = true }
            return !waiting.isExpected
        }
        if isFirst { later { [wake] in wake.yield() } }
    }

    private static func take(_ waiting: NIOLockedValueBox<Waiting>) -> Waiting {
        waiting.withLockedValue { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
    }

    /// The entry, with how many were left out before it; nil where there were too many like it.
    private func limited(_ entry: Entry) -> Entry? {
        let isComplaint = Self.complaintNames.contains(entry.line.name)
        guard isComplaint || entry.line.name == "reader.disconnect" else { return entry }
        let missing = complaints.withLockedValue { limit in
            isComplaint ? limit.take(entry.reader, at: .now) : limit.untold(entry.reader)
        }
        guard let missing else { return nil }
        var entry = entry
        if missing > 0 { entry.line.metadata["left_out"] = "\(missing)" }
        return entry
    }

    /// Returns when everything is written. No entry is accepted any more.
    func end() async {
        wake.finish()
        await writer.value
    }

    private static func write(_ taken: Waiting, _ logger: Logger) {
        for entry in taken.entries { write(entry, logger) }
        guard taken.leftOut > 0 else { return }
        logger.warning(
            "the log was slower than the readers, entries are missing",
            metadata: ["event": "daemon.log_behind", "count": "\(taken.leftOut)"])
    }

    private static func write(_ entry: Entry, _ logger: Logger) {
        let line = entry.line
        logger.log(
            level: line.level, "\(line.message)",
            metadata: line.metadata.merging([
                "event": "\(line.name)", "reader": "\(entry.reader)", "attachment": "\(entry.attachment)",
            ]) { first, _ in first })
    }
}
