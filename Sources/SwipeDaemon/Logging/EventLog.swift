import Logging
import NIOConcurrencyHelpers
import ReaderKit

/// Writes what the log says of readers' events, on a task of its own: the words cost as much as an event, and whatever
/// standard error leads to may block.
///
/// An entry holds nothing that a card says.
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

    private let entries: AsyncStream<Entry>.Continuation
    private let writer: Task<Void, Never>
    private let leftOut = NIOLockedValueBox(0)
    private let complaints = NIOLockedValueBox(ComplaintLimit())
    /// What a reader that sends nonsense makes line after line of.
    private static let complaintNames: Set<String> = ["reader.malformed", "reader.overrun"]

    init(_ logger: Logger) {
        let (stream, entries) = AsyncStream<Entry>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        self.entries = entries
        writer = Task.detached { [leftOut] in
            for await entry in stream {
                Self.write(entry, logger)
                let count = leftOut.withLockedValue { count in
                    defer { count = 0 }
                    return count
                }
                guard count > 0 else { continue }
                logger.warning(
                    "the log was slower than the readers, entries are missing",
                    metadata: ["event": "daemon.log_behind", "count": "\(count)"])
            }
        }
    }

    /// Never waits.
    func add(_ entry: Entry) {
        guard let entry = limited(entry) else { return }
        if case .dropped = entries.yield(entry) { leftOut.withLockedValue { $0 += 1 } }
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
        entries.finish()
        await writer.value
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
