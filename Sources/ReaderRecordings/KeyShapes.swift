package import ReaderKit

/// What is written down of a reader that types: a line for each swipe, and none for a key.
///
/// Keys one by one would tell digits: two equal ones need a report between them in which none is down, a letter needs Shift, and both
/// take time. So a line has no length, and the second in which its swipe began. What is no swipe, as a password, leaves no line.
package struct KeyShapes: Sendable {
    /// What comes so soon behind a swipe may be its rest: when that came, its digits have a part in.
    private static let rest = Duration.seconds(2)

    private var reading: TimedReading<KeyInput>
    /// When the keys that wait began to come.
    private var start: Duration?
    private var lastEnd: Duration?

    package init(_ reading: any DeviceReading<KeyInput>) { self.reading = TimedReading(reading) }

    /// The swipes that a boot report ended.
    package mutating func take(_ report: [UInt8], at time: Duration) -> [ReaderRecording.Report] {
        let before = pass(to: time)
        if !reading.isWaiting { start = time }
        return before + shapes(reading.take(KeyInput(.report(report), at: time), at: time), at: time)
    }

    /// Those that silence has ended by then.
    package mutating func pass(to time: Duration) -> [ReaderRecording.Report] {
        shapes(reading.pass(to: time), at: time)
    }

    private mutating func shapes(_ swipes: [Swipe], at time: Duration) -> [ReaderRecording.Report] {
        guard !swipes.isEmpty, let began = start else { return [] }
        defer { lastEnd = time }
        let isRest = lastEnd.map { began - $0 < Self.rest } ?? false
        return swipes.filter { !isRest || !$0.tracks.isEmpty }.map { swipe in
            ReaderRecording.Report(
                time: Int(began.components.seconds) * 1_000_000, length: 0,
                tracks: ReaderRecording.shapes(of: swipe.tracks))
        }
    }
}

extension ReaderRecording.Head {
    /// Whether the reader's reports are keys.
    package var isTyping: Bool { Self.isTyping(descriptor) }

    package static func isTyping(_ descriptor: [UInt8]) -> Bool {
        (try? ReportDescriptor(descriptor))?.holdsKeys ?? false
    }

    /// The keys of a report; nil of one that holds none, as of a volume.
    package func keys(in report: [UInt8]) -> [UInt8]? {
        guard let number = (try? ReportDescriptor(descriptor))?.keyReportNumber else { return report }
        return report.first == number ? Array(report.dropFirst()) : nil
    }
}
