import NIOConcurrencyHelpers
import ReaderKit
import StripeSignal
import SwipeProtocol

/// The levels of one sound input, measured only while a client asks for them again and again.
final class InputMeter: Sendable {
    /// What is kept for a client that asks late: two seconds.
    static let keptLevels = 2 * LevelMeter.framesASecond
    /// So long after the last question the measuring stops.
    static let patience = Duration.seconds(5)

    fileprivate struct State {
        /// Until when levels are measured; nil: they are not.
        var deadline: ContinuousClock.Instant?
        var meter: LevelMeter?
        var sampleRate = 0
        var levels: [SoundLevel] = []
        var nextNumber: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    /// What was measured after a number. Begins to measure where that was not done.
    func levels(after number: UInt64?, at now: ContinuousClock.Instant = .now) -> [SoundLevel] {
        state.withLockedValue { state in
            if let deadline = state.deadline, deadline < now { state.stop() }
            state.deadline = now + Self.patience
            return state.levels.filter { level in number.map { level.number > $0 } ?? true }
        }
    }

    /// Whether blocks are measured, for tests.
    var isMeasuring: Bool { state.withLockedValue { $0.deadline != nil } }

    /// Takes what the input gave, where anybody wants to know.
    func hear(_ block: SampleBlock, at now: @autoclosure () -> ContinuousClock.Instant = .now) {
        state.withLockedValue { state in
            guard let deadline = state.deadline else { return }
            guard now() <= deadline else { return state.stop() }
            state.measure(block)
        }
    }
}

extension InputMeter.State {
    mutating func stop() {
        (deadline, meter) = (nil, nil)
        levels.removeAll()
    }

    mutating func measure(_ block: SampleBlock) {
        if meter == nil || sampleRate != block.sampleRate {
            meter = LevelMeter(sampleRate: block.sampleRate, firstFrame: nextNumber)
            sampleRate = block.sampleRate
        }
        for frame in meter?.take(block.samples.span) ?? [] {
            nextNumber = frame.number + 1
            levels.append(SoundLevel(frame))
        }
        levels.removeFirst(max(levels.count - InputMeter.keptLevels, 0))
    }
}

extension SoundLevel {
    init(_ frame: LevelFrame) {
        self.init(
            number: frame.number, peak: frame.peak, floor: frame.floor,
            hum: frame.hum.map { Hum(hertz: $0.hertz, decibels: $0.decibels) }, isClipped: frame.isClipped,
            isOpen: frame.isOpen, passage: frame.passage)
    }
}

/// A sound input's transport whose blocks a meter hears before the driver has them.
struct MeteredTransport: ReaderTransport {
    private let base: any ReaderTransport<SampleBlock>
    private let meter: InputMeter

    init(_ base: any ReaderTransport<SampleBlock>, meter: InputMeter) {
        self.base = base
        self.meter = meter
    }

    func receive() async throws(DeviceError) -> SampleBlock {
        let block = try await base.receive()
        meter.hear(block)
        return block
    }

    func send(_ command: TransportCommand) async throws(DeviceError) { try await base.send(command) }
    func close() async { await base.close() }
    var arrivedInputs: Int { base.arrivedInputs }
    var lostInputs: Int { base.lostInputs }
    var lostBeforeLastInput: Int { base.lostBeforeLastInput }
}
