import DeviceIO
import ReaderCatalog
import ReaderKit
import ReaderRecordings

/// A serial line, through the driver of the type that is at it: what it sends of itself, and an encoder's answers once it waits for cards.
struct RecordedLine: RecordedDevice {
    let head: ReaderRecording.Head
    let words: String
    let close: @Sendable () async -> Void

    /// More than a line brings while a line is written to a file.
    private static let maximumWaiting = 4_096

    private enum Input: Sendable {
        case bytes(SerialBytes, at: ContinuousClock.Instant)
        /// As long as the driver wanted to know of, by the timer of that number.
        case silence(timer: Int, at: ContinuousClock.Instant)
        case ended(DeviceError)
    }

    private let begin = ContinuousClock.now
    private let supply: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    private let line: SerialTransport
    private var reading: any DeviceReading<SerialBytes>
    private var timer = 0

    static var types: [String] { ReaderCatalog.serial.map { $0.descriptor.name } }

    init(
        _ configuration: SerialLineConfiguration, type: String, _ asked: EncoderReading,
        _ content: ReaderRecording.Content
    ) async throws {
        guard Self.types.contains(type), let (driver, _) = ReaderCatalog.serialReader(type: type) else {
            throw CommandFailure(
                .usage, "--type: one of \(Self.types.joined(separator: ", "))")
        }
        let line: SerialTransport
        do throws(DeviceError) {
            line = try await SerialTransport.open(
                configuration, lastWords: driver.lastWords(for: configuration.identity))
        } catch {
            throw error.failure(configuration.path)
        }
        self.line = line
        let (inputs, supply) = AsyncStream<Input>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        (self.inputs, self.supply) = (inputs, supply)
        var options = ReaderOptions()
        options.encoderReading = asked
        reading = Self.reading(driver, configuration.identity, options)
        var head = ReaderRecording.Head.line(type: type, content)
        if type == ReaderCatalog.encoderLine { head.reading = asked }
        self.head = head
        words = "\(configuration.path) (\(type), \(configuration.speed) \(configuration.frame.rawValue))"
        close = { await line.close() }
        Task {
            while true {
                do throws(DeviceError) {
                    supply.yield(.bytes(try await line.receive(), at: .now))
                } catch {
                    supply.yield(.ended(error))
                    return supply.finish()
                }
            }
        }
        do { try await makeReady(driver.isReadyUnasked) } catch {
            await line.close()
            throw error
        }
    }

    mutating func next() async throws -> [RecordedPiece] {
        let (outcome, bytes, instant) = try await heard()
        if outcome.swipes.isEmpty, bytes == nil { return [] }
        // Of a swipe that silence ended there are no bytes any more.
        return [
            RecordedPiece(
                report: ReaderRecording.report(
                    bytes ?? [], with: outcome.swipes, at: begin.microseconds(to: instant), head.content),
                counts: !outcome.swipes.isEmpty)
        ]
    }

    /// Until it takes swipes, or Ctrl-C: an encoder is asked what it is. What it answers until then is not written down.
    private mutating func makeReady(_ isReadyUnasked: Bool) async throws {
        let watching = Task { [supply] in
            while !EndingSignal.isWanted { try await Task.sleep(for: .milliseconds(50)) }
            supply.yield(.ended(.closed))
        }
        defer { watching.cancel() }
        var outcome = reading.start()
        try await perform(outcome)
        while !isReadyUnasked, !outcome.isReady { outcome = try await heard().outcome }
    }

    private typealias Heard = (outcome: DrivenOutcome, bytes: [UInt8]?, instant: ContinuousClock.Instant)

    private mutating func heard() async throws -> Heard {
        var waiting = inputs.makeAsyncIterator()
        switch await waiting.next() {
        case .bytes(let piece, let instant):
            let outcome = reading.take(piece)
            try await perform(outcome)
            return (outcome, piece.bytes, instant)
        case .silence(let number, let instant):
            // Something came after all.
            guard number == timer else { return (.nothing, nil, instant) }
            let outcome = reading.silence()
            try await perform(outcome)
            return (outcome, nil, instant)
        case .ended(let error): throw error.failure(words)
        case .none: throw DeviceError.gone.failure(words)
        }
    }

    private mutating func perform(_ outcome: DrivenOutcome) async throws {
        for command in outcome.commands {
            do throws(DeviceError) { try await line.send(command) } catch { throw error.failure(words) }
        }
        if let why = outcome.failure { throw CommandFailure(.failure, "\(words): \(why)") }
        guard let change = outcome.timer else { return }
        timer += 1
        guard case .start(let silence) = change else { return }
        Task { [supply, timer] in
            try await Task.sleep(for: silence)
            supply.yield(.silence(timer: timer, at: .now))
        }
    }

    private static func reading<Driver: ReaderDriver<SerialBytes>>(
        _ driver: Driver.Type, _ device: DeviceIdentity, _ options: ReaderOptions
    ) -> any DeviceReading<SerialBytes> {
        DrivenReading.of(driver, device, options)
    }
}
