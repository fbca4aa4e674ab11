package import ReaderKit

/// A transport whose inputs and failures a test hands in, one at a time.
///
/// It stands in for a device where a session or a driver is under test; the real transports have their own tests.
package actor ScriptedTransport<Input: Sendable>: ReaderTransport {
    private var waiting: [Result<Input, DeviceError>] = []
    private var receiver: CheckedContinuation<Result<Input, DeviceError>, Never>?
    private var end: DeviceError?
    private var sendFailure: DeviceError?
    private var sent: [TransportCommand] = []
    private var sendWatchers: [CheckedContinuation<[TransportCommand], Never>] = []
    /// Those who wait for a device that is slow to close; nil where it is not.
    private var closers: [CheckedContinuation<Void, Never>]?

    package init() {}

    /// The device sends something.
    package func deliver(_ input: Input) {
        hand(.success(input))
    }

    /// The device fails; nothing comes after it.
    package func fail(_ error: DeviceError) {
        hand(.failure(error))
    }

    /// Every command from now on is refused with this error.
    package func refuseCommands(_ error: DeviceError) {
        sendFailure = error
    }

    /// Closing from now on takes until ``letClose()``.
    package func holdClosing() { closers = closers ?? [] }

    /// The device is closed at last.
    package func letClose() {
        for closer in closers ?? [] { closer.resume() }
        closers = nil
    }

    /// Waits for the next command, and gives all that were sent.
    package func nextCommand() async -> [TransportCommand] {
        await withCheckedContinuation { sendWatchers.append($0) }
    }

    package func receive() async throws(DeviceError) -> Input {
        if let end { throw end }
        let result: Result<Input, DeviceError>
        if waiting.isEmpty {
            result = await withCheckedContinuation { receiver = $0 }
        } else {
            result = waiting.removeFirst()
        }
        if case .failure(let error) = result { end = error }
        return try result.get()
    }

    package func send(_ command: TransportCommand) async throws(DeviceError) {
        sent.append(command)
        for watcher in sendWatchers { watcher.resume(returning: sent) }
        sendWatchers.removeAll()
        if let sendFailure { throw sendFailure }
    }

    package func close() async {
        hand(.failure(.closed))
        end = end ?? .closed
        guard closers != nil else { return }
        await withCheckedContinuation { closers?.append($0) }
    }

    private func hand(_ result: Result<Input, DeviceError>) {
        if let receiver {
            self.receiver = nil
            receiver.resume(returning: result)
        } else {
            waiting.append(result)
        }
    }
}
