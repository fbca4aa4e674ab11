import Glibc
import Logging
import ReaderKit

/// The attachment of one device from `connect` to `disconnect`: opens it, runs sessions, tries again.
///
/// It runs as a task of its own, which its owner cancels to end it; ``ending`` says first why it ends.
struct AttachmentRun<Driver: ReaderDriver>: Sendable {
    typealias Open = @Sendable (DeviceIdentity) async throws(DeviceError) -> any ReaderTransport<Driver.Input>

    /// After the kernel says that a device is gone, udev's `remove` follows within a fraction of this (measured: 150
    /// ms). A device that is still there afterwards was reset, as after a suspend, and begins a new attachment.
    static var removalGrace: Duration { .seconds(1) }

    var reader: AttachedReader
    let driver: Driver.Type
    let initialDetails: ReaderDetails
    let options: @Sendable () -> ReaderOptions
    let open: Open
    let ending: EndingReason
    let current: CurrentSession
    /// Gives the number of the next attachment, for a device that was reset.
    let nextAttachment: @Sendable () async -> UInt64
    let announce: @Sendable (ReaderAnnouncement) -> Void
    let logger: Logger
    /// Where sessions run; nil for the pool of threads.
    let executor: (any TaskExecutor)?

    /// Runs until the task is cancelled. Also an attachment that is cancelled before it began has a beginning and an
    /// end: the one before it left both to it.
    mutating func run() async {
        repeat {
            var lifecycle = ReaderLifecycle(initialDetails)
            let reason = await serve(&lifecycle)
            say(lifecycle.detached(reason), lifecycle.details)
            if lifecycle.refusedSignals > 0 {
                logger.warning(
                    "driver signalled out of order",
                    metadata: ["event": "reader.out_of_order", "count": "\(lifecycle.refusedSignals)"])
            }
            guard !Task.isCancelled, await pause(Self.removalGrace), await isThere() else { return }
            logger.notice("reader is back after a reset", metadata: ["event": "reader.reset"])
            reader.attachment = await nextAttachment()
        } while !Task.isCancelled
    }

    /// Opens the device and runs sessions on it until it is gone.
    private func serve(_ lifecycle: inout ReaderLifecycle) async -> DetachReason {
        var backoff = Backoff()
        var lastComplaint: String?
        while !Task.isCancelled {
            let failure: DeviceError
            do throws(DeviceError) {
                let transport = try await open(reader.device)
                let openedAt = ContinuousClock.now
                (failure, lifecycle) = await session(on: transport, lifecycle)
                // Who said something worked; a suspend is no fault.
                if transport.arrivedInputs > 0 || failure == .suspended { backoff.reset() }
                backoff.worked(for: .now - openedAt)
                lastComplaint = nil
                if failure == .gone, !Task.isCancelled { return .unplugged }
            } catch {
                // Also `gone`: a device that udev shows and that cannot be opened is not unplugged, but we have no
                // access to it.
                failure = error
            }
            guard !Task.isCancelled else { break }
            if failure == .suspended {
                say(lifecycle.suspended(), lifecycle.details)
                if await pause(backoff.next()) { continue } else { break }
            }
            if failure == .gone, !(await pause(Self.removalGrace)) { break }
            say(lifecycle.failed(), lifecycle.details)
            let complaint = DeviceComplaint.words(for: failure, reader.device)
            if complaint != lastComplaint {
                say(lifecycle.openingFailed(why: complaint), lifecycle.details)
                logger.warning(
                    "reader cannot be used, retrying",
                    metadata: ["event": "reader.failed", "why": "\(complaint)"])
                lastComplaint = complaint
            }
            guard await pause(backoff.next()) else { break }
        }
        return ending.reason
    }

    private func session(
        on transport: any ReaderTransport<Driver.Input>, _ lifecycle: ReaderLifecycle
    ) async -> (DeviceError, ReaderLifecycle) {
        let reader = reader
        let announce = announce
        let session = ReaderSession(
            driver: driver.init(reader.device, options: options()), transport: transport, lifecycle: lifecycle
        ) { step, details in
            announce(ReaderAnnouncement(reader: reader, step: step, details: details))
        }
        current.holder = session
        defer { current.holder = nil }
        // In a task of its own, which nobody cancels: of a device that is gone everything that it sent is heard to the end.
        // Such a task does not inherit where its parent runs.
        let run = Task(executorPreference: executor) { await session.run() }
        let ending = ending
        return await withTaskCancellationHandler {
            await run.value
        } onCancel: {
            Task { ending.reason == .unplugged ? await transport.unplugged() : await transport.close() }
        }
    }

    /// Waits until a line's name leads to something again: as a link, it stays when what it led to has gone.
    private func isThere() async -> Bool {
        while reader.device.bus == .serial, !reader.device.isSimulated, access(reader.device.node, F_OK) != 0
        {
            guard await pause(Self.removalGrace) else { return false }
        }
        return true
    }

    private func say(_ steps: [ReaderStep], _ details: ReaderDetails) {
        for step in steps { announce(ReaderAnnouncement(reader: reader, step: step, details: details)) }
    }

    /// Whether the pause ran its full length.
    private func pause(_ duration: Duration) async -> Bool {
        do {
            try await Task.sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}
