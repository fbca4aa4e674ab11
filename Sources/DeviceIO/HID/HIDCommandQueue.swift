import Glibc
import ReaderKit

/// The commands to one device, carried out one after the other on a thread of their own.
///
/// A mute device holds a feature request for five seconds in the kernel, where nothing can end it. It must hold up
/// neither this device's reports nor anything of another's, so the thread has a handle to itself
/// (docs/decisions/0400), opened when the first command comes.
final class HIDCommandQueue: Sendable {
    typealias Completion = CheckedContinuation<Result<Void, DeviceError>, Never>
    typealias Answer = @Sendable (HIDReport) -> Void

    /// Commands that wait behind a slow one.
    private static let maximumQueued = 16
    /// A feature report of a device whose descriptor tells no size: as long as a control transfer's usual packet.
    private static let assumedFeatureBytes = 64

    private struct Entry {
        let command: TransportCommand
        let completion: Completion
    }

    private struct State {
        var entries: [Entry] = []
        var current: Completion?
        /// The thread is within a command.
        var isBusy = false
        var isStarted = false
        var end: DeviceError?
    }

    private let state = Guarded(State())
    private let node: HIDNode
    private let descriptor: ReportDescriptor
    private let answer: Answer

    init(node: HIDNode, descriptor: ReportDescriptor, answer: @escaping Answer) {
        self.node = node
        self.descriptor = descriptor
        self.answer = answer
    }

    func send(_ command: TransportCommand) async throws(DeviceError) {
        let result = await withCheckedContinuation { (completion: Completion) in
            enqueue(Entry(command: command, completion: completion))
        }
        try result.get()
    }

    /// Ends what waits and what runs with `error`; a call that the kernel holds comes back by itself later.
    func end(_ error: DeviceError) {
        let ended = state.change { state -> [Completion] in
            state.end = state.end ?? error
            defer {
                state.entries = []
                state.current = nil
            }
            return [state.current].compactMap(\.self) + state.entries.map(\.completion)
        }
        for completion in ended { completion.resume(returning: .failure(error)) }
    }

    /// Waits until no command is on its way any more, after ``end(_:)``. Blocks the calling thread.
    ///
    /// - Returns: false where the device holds one for longer.
    func rests(within milliseconds: Int, _ pulse: ThreadPulse) -> Bool {
        for _ in 0..<milliseconds {
            pulse.beat()
            if state.change({ !$0.isBusy }) { return true }
            usleep(1000)
        }
        return false
    }

    private func enqueue(_ entry: Entry) {
        let (refusal, mustStart) = state.change { state -> (DeviceError?, Bool) in
            if let end = state.end { return (end, false) }
            guard state.entries.count < Self.maximumQueued else { return (.busy(detail: node.path), false) }
            state.entries.append(entry)
            defer { state.isStarted = true }
            return (nil, !state.isStarted)
        }
        if let refusal { entry.completion.resume(returning: .failure(refusal)) }
        guard mustStart else { return }
        do throws(DeviceError) {
            try DeviceThread.start("swiped-hid-cmd") { [self] pulse in run(pulse) }
        } catch {
            end(error)
        }
    }

    private func run(_ pulse: ThreadPulse) {
        do throws(DeviceError) {
            let handle = try node.openPatiently()
            while let command = nextCommand(pulse) { finish(perform(command, handle, pulse)) }
        } catch {
            while nextCommand(pulse) != nil { finish(.failure(error)) }
        }
    }

    /// Blocks until there is a command; nil once closed.
    private func nextCommand(_ pulse: ThreadPulse) -> TransportCommand? {
        pulse.rest()
        defer { pulse.beat() }
        return state.wait { state -> TransportCommand?? in
            if state.end != nil { return .some(nil) }
            guard !state.entries.isEmpty else { return nil }
            let entry = state.entries.removeFirst()
            (state.current, state.isBusy) = (entry.completion, true)
            return entry.command
        }
    }

    private func finish(_ result: Result<Void, DeviceError>) {
        let completion = state.change { state -> Completion? in
            defer { (state.current, state.isBusy) = (nil, false) }
            return state.current
        }
        completion?.resume(returning: result)
    }

    private func perform(
        _ command: TransportCommand, _ handle: borrowing HIDHandle, _ pulse: ThreadPulse
    ) -> Result<Void, DeviceError> {
        do throws(DeviceError) {
            switch command {
            case .setFeature(let bytes, let id): try handle.setFeature([id] + bytes)
            case .getFeature(let id): try get(id, atLeast: 0, handle)
            case .feature(let bytes, let id):
                try handle.setFeature([id] + bytes)
                // A mute device takes its five seconds for each of the two.
                pulse.beat()
                try get(id, atLeast: bytes.count, handle)
            case .output(let bytes, let id): try handle.write([id] + bytes)
            case .sound, .write: throw .refused
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func get(_ id: UInt8, atLeast: Int, _ handle: borrowing HIDHandle) throws(DeviceError) {
        let known =
            descriptor.byteLength(.feature, id: id) ?? (atLeast > 0 ? atLeast : Self.assumedFeatureBytes)
        answer(HIDReport(kind: .feature, id: id, bytes: try handle.getFeature(id: id, length: known)))
    }
}
