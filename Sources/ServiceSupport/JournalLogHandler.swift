internal import Glibc
package import Logging

/// Writes one entry a message: to the journal with a field for each value, or a line to standard error.
///
/// The text is the same in both: the message, then ` key=value`, keys sorted, so that lines can be searched. In the
/// journal the values are fields in addition, `SWIPED_EVENT=reader.swipe`. Where the journal's socket cannot be
/// reached, lines begin with their priority, `<6>`, which systemd removes and keeps as a field (sd-daemon(3)); in a
/// terminal they begin with the time and the level. Values are cut and stripped of control characters: a device's
/// strings end up here, and a device can be made to say anything.
package struct JournalLogHandler: LogHandler {
    /// Longer values are cut.
    static let maximumValueLength = 256

    package var logLevel: Logger.Level = .info
    package var metadata: Logger.Metadata = [:]
    private let isJournal: Bool
    private let journal: JournalSocket?

    /// - Parameters:
    ///   - isJournal: whether standard error leads to the journal.
    ///   - journal: the journal's own socket, where there is one.
    package init(isJournal: Bool, journal: JournalSocket? = nil) {
        self.isJournal = isJournal
        self.journal = journal
    }

    /// - Parameters:
    ///   - program: what the journal calls the service.
    ///   - isForeground: whether a person reads it, even where systemd started it.
    package init(of program: String, environment: [String: String], isForeground: Bool) {
        let isJournal = environment["JOURNAL_STREAM"] != nil && !isForeground
        self.init(isJournal: isJournal, journal: isJournal ? JournalSocket(program: program) : nil)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let more = event.metadata { all.merge(more) { _, new in new } }
        let values = all.sorted { $0.key < $1.key }.map { ($0.key, Self.clean("\($0.value)")) }
        var text = Self.clean("\(event.message)")
        for (key, value) in values { text += " \(key)=\(Self.quoted(value))" }
        if let journal, journal.send(text, priority: priority(event.level), values) { return }
        let start = isJournal ? "<\(priority(event.level))>" : "\(Self.time()) \(event.level) "
        write(start + text + "\n")
    }

    private func write(_ line: String) {
        var bytes = Array(line.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            // A log that cannot be written has nowhere left to say so.
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    /// syslog's numbers.
    private func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 != 0x20 && $0 != 0x22 && $0 != 0x3D }
        guard !isPlain else { return text }
        // By scalars: a mark that combines with a quote makes another character of the two.
        let scalars = text.unicodeScalars.map { $0 == "\"" ? "'" : $0 }
        return "\"\(String(String.UnicodeScalarView(scalars)))\""
    }

    private static func clean(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        if isPlain, text.utf8.count <= maximumValueLength { return text }
        var result = ""
        for scalar in text.unicodeScalars.prefix(maximumValueLength) {
            result.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
        }
        return result
    }

    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        localtime_r(&now.tv_sec, &parts)
        let fields = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let milliseconds = String(now.tv_nsec / 1_000_000 + 1000).dropFirst()
        return fields.joined(separator: ":") + "." + milliseconds
    }
}
