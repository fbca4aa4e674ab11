import ReaderKit
import UnixIO

/// Plays what a driver asks for, and keeps the volume, on a thread of its own that the first command starts.
///
/// The card is opened by the first sound and given back in silence. Whatever ends the player ends the tone and puts the
/// volume back.
final class SoundPlayer: Sendable {
    typealias Completion = CheckedContinuation<Result<Void, DeviceError>, Never>

    /// Commands that may wait.
    private static let maximumOrders = 16

    private struct Order {
        let command: SoundCommand
        let completion: Completion
    }

    private struct State {
        var orders: [Order] = []
        var isRunning = false
        var end: DeviceError?
    }

    private let playback: PlaybackConfiguration?
    private let volume: VolumeConfiguration?
    private let state = Guarded(State())
    private let wakePipe: WakePipe
    private let ended = Latch()
    private let failed: @Sendable (DeviceError) -> Void
    private let volumeStays: @Sendable (DeviceError) -> Void
    private let underrunCount = Guarded(0)

    /// - Parameters:
    ///   - failed: hears of a card that fails while it plays.
    ///   - volumeStays: hears why the volume is still raised when the player ends.
    init(
        _ configuration: SoundConfiguration, failed: @escaping @Sendable (DeviceError) -> Void,
        volumeStays: @escaping @Sendable (DeviceError) -> Void
    ) throws(DeviceError) {
        playback = configuration.playback
        volume = configuration.volume
        wakePipe = try WakePipe.made()
        self.failed = failed
        self.volumeStays = volumeStays
    }

    /// How many times the card had nothing to play.
    var underruns: Int { underrunCount.change { $0 } }

    /// Hands over a command; returns when the thread has taken it up, not when a burst has been heard.
    func perform(_ command: SoundCommand) async throws(DeviceError) {
        let result = await withCheckedContinuation { (completion: Completion) in
            add(Order(command: command, completion: completion))
        }
        try result.get()
    }

    private func add(_ order: Order) {
        let (refusal, mustStart) = state.change { state -> (DeviceError?, Bool) in
            if let end = state.end { return (end, false) }
            guard state.orders.count < Self.maximumOrders else {
                return (.busy(detail: "\(Self.maximumOrders) sound commands wait"), false)
            }
            state.orders.append(order)
            defer { state.isRunning = true }
            return (nil, !state.isRunning)
        }
        if let refusal { return order.completion.resume(returning: .failure(refusal)) }
        guard mustStart else { return wakePipe.wake() }
        do throws(DeviceError) {
            try DeviceThread.start("swiped-playback") { [self] in run($0) }
        } catch {
            finish(error)
            ended.open()
        }
    }

    /// Silence, the old volume, and no more commands. Returns when the card has been given back.
    func close() async {
        let isRunning = state.change { state -> Bool in
            state.end = state.end ?? .closed
            return state.isRunning
        }
        wakePipe.wake()
        if isRunning { await ended.wait() }
    }

    private func finish(_ error: DeviceError) {
        let orders = state.change { state -> [Order] in
            state.end = state.end ?? error
            defer { state.orders = [] }
            return state.orders
        }
        for order in orders { order.completion.resume(returning: .failure(error)) }
    }

    private func run(_ pulse: ThreadPulse) {
        var desk = PlaybackDesk(playback: playback, wake: wakePipe.readEnd)
        var keeper = VolumeKeeper(volume)
        do throws(DeviceError) {
            while let orders = takeOrders(isPlaying: desk.isPlaying, pulse) {
                for order in orders {
                    order.completion.resume(returning: obey(order.command, &desk, &keeper))
                }
                if try desk.play() { wakePipe.drain() }
                let underruns = desk.underruns
                underrunCount.change { $0 = underruns }
            }
            finish(.closed)
        } catch {
            failed(error)
            finish(error)
        }
        desk.silence()
        if let failure = keeper.restore() { volumeStays(failure) }
        ended.open()
    }

    /// What is to be done now; waits for something where nothing plays. Nil once closed.
    private func takeOrders(isPlaying: Bool, _ pulse: ThreadPulse) -> [Order]? {
        pulse.rest()
        defer { pulse.beat() }
        return state.wait { state -> [Order]?? in
            if state.end != nil { return .some(nil) }
            guard isPlaying || !state.orders.isEmpty else { return nil }
            defer { state.orders = [] }
            return .some(state.orders)
        }
    }

    private func obey(
        _ command: SoundCommand, _ desk: inout PlaybackDesk, _ keeper: inout VolumeKeeper
    ) -> Result<Void, DeviceError> {
        do throws(DeviceError) {
            switch command {
            case .startTone(let tone): try desk.start(tone)
            case .stopTone: desk.silence()
            case .play(let samples, let rate): try desk.play(samples, rate: rate)
            case .raiseVolume: try keeper.raise()
            case .restoreVolume: try keeper.putBack()
            // The capture's.
            case .listen, .stopListening: throw .refused
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}

/// The card's playback while there is something to play, and what it plays.
struct PlaybackDesk: ~Copyable {
    private let configuration: PlaybackConfiguration?
    private let wake: Int32
    private var stream: PlaybackStream?
    private var synthesis = ToneSynthesis(rate: 1)
    /// Frames of silence since something was to be heard: what is still in the card must be played out.
    private var silentFrames = 0
    /// How many times the card had nothing to play.
    private(set) var underruns = 0

    init(playback: PlaybackConfiguration?, wake: Int32) {
        configuration = playback
        self.wake = wake
    }

    var isPlaying: Bool { stream != nil }

    mutating func start(_ tone: PowerTone) throws(DeviceError) {
        try open()
        synthesis.start(tone)
    }

    mutating func play(_ samples: [Int16], rate: Int) throws(DeviceError) {
        try open()
        try synthesis.play(samples, rate: rate)
    }

    /// At once.
    mutating func silence() {
        synthesis.stop()
        stream = nil
    }

    private mutating func open() throws(DeviceError) {
        silentFrames = 0
        guard stream == nil else { return }
        guard let configuration else { throw .playbackMissing(detail: "no playback is configured") }
        let stream = try PlaybackStream(configuration, wake: wake)
        synthesis = ToneSynthesis(rate: stream.format.sampleRate)
        self.stream = consume stream
    }

    /// Plays one period, where there is room, and gives the card back when all was played. True when woken.
    mutating func play() throws(DeviceError) -> Bool {
        guard let format = stream?.format, let wait = try stream?.wait() else { return true }
        switch wait {
        case .woken: return true
        case .nothing: return false
        case .room: break
        }
        silentFrames = synthesis.isSilent ? silentFrames + format.periodFrames : 0
        underruns += try stream?.write(synthesis.fill(format.periodFrames)) ?? 0
        if silentFrames > format.bufferFrames + format.periodFrames { silence() }
        return false
    }
}
