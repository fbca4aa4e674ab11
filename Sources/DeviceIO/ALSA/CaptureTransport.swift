package import ReaderKit
import UnixIO

/// A sound card's capture through libasound, on a thread of its own that copies and counts and decodes nothing.
///
/// The card is open while somebody listens, and only then.
package final class CaptureTransport: ReaderTransport {
    /// Blocks that wait for the session; more are dropped and counted: old sound is of no use to a swipe.
    static let queuedBlocks = 64

    private typealias Opened = CheckedContinuation<Result<Void, DeviceError>, Never>

    /// What the thread is to do, as its owners want it.
    private struct State {
        var listens = false
        var isClosed = false
        /// Those who wait for the card to be open.
        var waiters: [Opened] = []
        var isOpen = false
        /// A volume that is put back when the card has been opened for the first time.
        var left: VolumeConfiguration?
        /// What is open was given up, and is to be closed also where it is wanted again by now.
        var isStale = false

        var mustClose: Bool { isClosed || isStale || !listens }
    }

    private let configuration: CaptureConfiguration
    private let volume: VolumeConfiguration?
    private let microphone: @Sendable (Bool) -> Void
    private let inbox = Mailbox<SampleBlock>(capacity: CaptureTransport.queuedBlocks)
    private let wakePipe: WakePipe
    private let ended = Latch()
    private let negotiated = Guarded<CaptureFormat?>(nil)
    private let state = Guarded(State())

    /// Opens and starts the capture, off the caller's executor.
    ///
    /// - Parameters:
    ///   - listens: whether the card is opened now; else by ``listen()``.
    ///   - left: a volume that an earlier run may have left raised. It is put back once the card has been opened, before
    ///     the first block says what is set: a card that another program has open may be raised for that one.
    ///   - microphone: hears when the card is open, and when it is not any longer. Must not block.
    package static func open(
        _ configuration: CaptureConfiguration, volume: VolumeConfiguration? = nil, listens: Bool = true,
        restoring left: VolumeConfiguration? = nil,
        microphone: @escaping @Sendable (Bool) -> Void = { _ in }
    ) async throws(DeviceError) -> CaptureTransport {
        let transport = try CaptureTransport(configuration, volume, microphone)
        transport.state.change { $0.left = left }
        try DeviceThread.start("swiped-capture") { transport.run($0) }
        guard listens else { return transport }
        do throws(DeviceError) {
            try await transport.listen()
            return transport
        } catch {
            await transport.close()
            throw error
        }
    }

    private init(
        _ configuration: CaptureConfiguration, _ volume: VolumeConfiguration?,
        _ microphone: @escaping @Sendable (Bool) -> Void
    ) throws(DeviceError) {
        self.configuration = configuration
        self.volume = volume
        self.microphone = microphone
        wakePipe = try WakePipe.made()
    }

    /// What was agreed on; for `status`.
    package var format: CaptureFormat? { negotiated.change { $0 } }

    package func receive() async throws(DeviceError) -> SampleBlock { try await inbox.next() }

    package var arrivedInputs: Int { inbox.accepted }

    /// A sound card takes no commands: what an audio reader is told goes out as sound.
    package func send(_ command: TransportCommand) async throws(DeviceError) { throw .refused }

    /// Opens the card; does nothing where it is open. Its sound begins anew, also right behind ``stopListening()``: frames
    /// are counted from 0, and what the first block tells of the card holds since then.
    func listen() async throws(DeviceError) {
        let result = await withCheckedContinuation { (opened: Opened) in
            let now = state.change { state -> Result<Void, DeviceError>? in
                if state.isClosed { return .failure(.closed) }
                state.listens = true
                if state.isOpen, !state.isStale { return .success(()) }
                state.waiters.append(opened)
                return nil
            }
            if let now { opened.resume(returning: now) }
        }
        try result.get()
    }

    /// Gives the card back; ``receive()`` waits until it is open again.
    func stopListening() {
        state.change { state in
            state.listens = false
            state.isStale = state.isOpen
        }
        wakePipe.wake()
    }

    package func close() async {
        inbox.close()
        state.change { $0.isClosed = true }
        wakePipe.wake()
        await ended.wait()
    }

    /// The same card failed elsewhere: the capture ends with this error.
    func fail(_ error: DeviceError) {
        inbox.finish(error)
        state.change { $0.isClosed = true }
        wakePipe.wake()
    }

    // MARK: The thread

    private func run(_ pulse: ThreadPulse) {
        while mayListen(pulse) {
            do throws(DeviceError) {
                try listen(pulse)
            } catch {
                // A card that could not be opened is told to those who asked for that, and may be tried again.
                guard answer(.failure(error)) else {
                    inbox.finish(error)
                    break
                }
            }
        }
        state.change { $0.isClosed = true }
        _ = answer(.failure(.closed))
        ended.open()
    }

    /// Waits until the card is wanted; false once it never will be.
    private func mayListen(_ pulse: ThreadPulse) -> Bool {
        pulse.rest()
        defer { pulse.beat() }
        return state.wait { state -> Bool? in
            if state.isClosed { return false }
            return state.listens ? true : nil
        }
    }

    /// Captures until the card is not wanted any longer, or fails.
    private func listen(_ pulse: ThreadPulse) throws(DeviceError) {
        var stream = try CaptureStream(configuration, wake: wakePipe.readEnd)
        let format = stream.format
        negotiated.change { $0 = format }
        let left = state.change { state -> VolumeConfiguration? in
            defer { state.left = nil }
            return state.left
        }
        if let left { VolumeRecords.restoreNow(left) }
        microphone(true)
        defer { microphone(false) }
        state.change { $0.isOpen = true }
        defer { state.change { ($0.isOpen, $0.isStale) = (false, false) } }
        _ = answer(.success(()))
        try capture(&stream, VolumeGauge(volume), pulse)
    }

    /// Tells those who wait for the card how that went. False where nobody does.
    private func answer(_ result: Result<Void, DeviceError>) -> Bool {
        let waiters = state.change { state -> [Opened] in
            defer { state.waiters = [] }
            if case .failure = result, !state.waiters.isEmpty { state.listens = false }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
        return !waiters.isEmpty
    }

    private func capture(
        _ stream: inout CaptureStream, _ gauge: consuming VolumeGauge?, _ pulse: ThreadPulse
    ) throws(DeviceError) {
        var dropped = 0
        while true {
            pulse.beat()
            switch try stream.next() {
            case .samples(var block):
                block.overruns += dropped
                block.playbackVolume = gauge?.percent()
                if !inbox.offer(block) { dropped += 1 }
            case .nothing: continue
            case .woken:
                wakePipe.drain()
                if state.change({ $0.mustClose }) { return }
            }
        }
    }
}
