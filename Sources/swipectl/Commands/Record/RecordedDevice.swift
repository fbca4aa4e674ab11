import ReaderKit
import ReaderRecordings

/// A device that is being recorded. Used by one task, but for what closes it.
protocol RecordedDevice {
    var head: ReaderRecording.Head { get }
    /// What people call it.
    var words: String { get }
    /// What `--reports` counts.
    var counted: String { get }
    /// Ends what waits in ``next()``, from any task.
    var close: @Sendable () async -> Void { get }

    /// What came since the last question; nothing where nothing came for a moment.
    mutating func next() async throws -> [RecordedPiece]
}

/// What came at once.
struct RecordedPiece {
    var report: ReaderRecording.Report
    /// Counts towards `--reports`.
    var counts = true
}

extension RecordedDevice {
    var counted: String { "swipe" }
}

extension ContinuousClock.Instant {
    /// Microseconds from this to another.
    func microseconds(to other: Self) -> Int {
        let (seconds, attoseconds) = (other - self).components
        return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }
}

extension DeviceError {
    /// Why a device cannot be recorded, as a command fails by it.
    func failure(_ path: String) -> CommandFailure {
        switch self {
        case .permissionDenied: CommandFailure(.denied, "\(path): permission denied; try sudo")
        case .busy:
            CommandFailure(
                .failure,
                "\(path) is in use: it has one user at a time. Where that is the daemon: sudo systemctl stop swiped.service swiped.socket"
            )
        case .gone: CommandFailure(.noSuchReader, "\(path) is not there, or gone")
        case .unsupported(let detail), .playbackMissing(let detail), .mixerMissing(let detail):
            CommandFailure(.failure, detail)
        case .timedOut, .suspended, .volumeTooLow, .refused, .closed, .system:
            CommandFailure(.failure, "\(path): \(self)")
        }
    }
}
