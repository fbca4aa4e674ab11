import DeviceIO
import ReaderCatalog
import ReaderKit
import ReaderRecordings

/// A serial line, through the driver of the type that is at it: what it sends of itself. A line that has to be asked is not recorded.
struct RecordedLine: RecordedDevice {
    let head: ReaderRecording.Head
    let words: String
    let close: @Sendable () async -> Void

    /// More than a line brings while a line is written to a file.
    private static let maximumWaiting = 4_096

    private enum Input: Sendable {
        case bytes(SerialBytes, at: ContinuousClock.Instant)
        /// As long as the driver wanted to know of, after so many pieces.
        case silence(after: Int, at: ContinuousClock.Instant)
        case ended(DeviceError)
    }

    private let begin = ContinuousClock.now
    private let news: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    private var reading: any LineReading
    private var pieces = 0

    /// The types that send of themselves.
    static var types: [String] {
        ReaderCatalog.serial.map { $0.descriptor.name }.filter { $0 != ReaderCatalog.encoderLine }
    }

    init(_ configuration: SerialLineConfiguration, type: String, _ content: ReaderRecording.Content)
        async throws(CommandFailure)
    {
        guard Self.types.contains(type), let (driver, _) = ReaderCatalog.serialReader(type: type) else {
            throw CommandFailure(
                .usage, "--type: one of \(Self.types.joined(separator: ", "))")
        }
        let line: SerialTransport
        do throws(DeviceError) { line = try await SerialTransport.open(configuration) } catch {
            throw error.failure(configuration.path)
        }
        let (inputs, news) = AsyncStream<Input>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        (self.inputs, self.news) = (inputs, news)
        reading = Self.reading(driver, configuration)
        head = .line(type: type, content)
        words = "\(configuration.path) (\(type), \(configuration.speed) \(configuration.frame.rawValue))"
        close = { await line.close() }
        Task {
            while true {
                do throws(DeviceError) {
                    news.yield(.bytes(try await line.receive(), at: .now))
                } catch {
                    news.yield(.ended(error))
                    return news.finish()
                }
            }
        }
    }

    mutating func next() async throws -> [RecordedPiece] {
        var waiting = inputs.makeAsyncIterator()
        switch await waiting.next() {
        case .bytes(let piece, let instant):
            pieces += 1
            let (swipes, silence) = reading.take(piece)
            if let silence { wait(silence) }
            return [self.piece(swipes, piece.bytes, at: instant)]
        case .silence(let count, let instant):
            // Something came after all.
            guard count == pieces else { return [] }
            let swipes = reading.silence()
            return swipes.isEmpty ? [] : [piece(swipes, [], at: instant)]
        case .ended(let error): throw error.failure(words)
        case .none: throw DeviceError.gone.failure(words)
        }
    }

    private func wait(_ silence: Duration) {
        Task { [news, pieces] in
            try await Task.sleep(for: silence)
            news.yield(.silence(after: pieces, at: .now))
        }
    }

    /// Of a swipe that silence ended there are no bytes any more.
    private func piece(
        _ swipes: [Swipe], _ bytes: [UInt8], at instant: ContinuousClock.Instant
    ) -> RecordedPiece {
        let (seconds, attoseconds) = (instant - begin).components
        let time = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        var report = ReaderRecording.Report(time: time, length: bytes.count)
        switch head.content {
        case .testCard: report.bytes = bytes
        case .shapes: report.tracks = swipes.flatMap { ReaderRecording.shapes(of: $0.tracks) }
        }
        return RecordedPiece(report: report, counts: !swipes.isEmpty)
    }

    private static func reading<Driver: ReaderDriver<SerialBytes>>(
        _ driver: Driver.Type, _ configuration: SerialLineConfiguration
    ) -> any LineReading {
        DrivenLine(driver: Driver(configuration.identity, options: ReaderOptions()))
    }
}

/// What a driver reads in what comes from a line.
private protocol LineReading {
    /// - Returns: the swipes, and after how much silence it wants to be asked again.
    mutating func take(_ piece: SerialBytes) -> (swipes: [Swipe], silence: Duration?)
    mutating func silence() -> [Swipe]
}

private struct DrivenLine<Driver: ReaderDriver<SerialBytes>>: LineReading {
    var driver: Driver

    mutating func take(_ piece: SerialBytes) -> (swipes: [Swipe], silence: Duration?) {
        let actions = driver.receive(piece)
        var silence: Duration?
        for case .startTimer(let duration) in actions { silence = duration }
        return (Self.swipes(actions), silence)
    }

    mutating func silence() -> [Swipe] { Self.swipes(driver.timerFired()) }

    private static func swipes(_ actions: [DriverAction]) -> [Swipe] {
        actions.compactMap { if case .signal(.swiped(let swipe)) = $0 { swipe } else { nil } }
    }
}
