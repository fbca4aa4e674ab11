import Glibc
package import ReaderKit
import UnixIO

/// A hidraw device.
///
/// Reports are read on one thread (``HIDReports``), commands are carried out on another through libhidapi-hidraw
/// (``HIDCommandQueue``). An unplug shows as an error of the reading thread, some 10 ms after udev's `remove` or up to 150 ms
/// before it.
package final class HIDTransport: ReaderTransport {
    /// How long a device may hold a command when it is closed. After that it is mute, and hears no last words either; the unit gives
    /// the whole daemon 10 s to end (TimeoutStopSec).
    private static let restMilliseconds = 3_000
    /// Reports that wait for the session. The thread never waits for room: it would leave the reports to the kernel, which
    /// holds 63 and drops the newest without a word. Here they are counted.
    static let queuedReports = 256
    /// As many as the kernel keeps of a device (HIDRAW_BUFFER_SIZE).
    private static let keptReports = 64
    /// A report's longest size where the descriptor is not known.
    private static let assumedReportBytes = 4_096

    private let node: HIDNode
    private let descriptor: ReportDescriptor
    private let inbox: Mailbox<HIDReport>
    private let commands: HIDCommandQueue
    private let lastWords: [TransportCommand]
    /// Why the reading thread is to end.
    private enum Ending {
        case closed
        case unplugged
    }

    private let ending = Guarded<Ending?>(nil)
    /// Wakes the reading thread; gone with it.
    private let wakePipe: Guarded<WakePipe?>
    private let readerEnded = Latch()

    /// Opens the device, off the caller's executor: the kernel takes some 57 ms for it, and drops the device's reports until
    /// then, none later (docs/decisions/0412). Throws ``DeviceError/gone`` where the node is not this device's any more.
    ///
    /// - Parameter lastWords: output and feature reports that it is sent when it is closed while it is there.
    package static func open(
        _ device: DeviceIdentity, lastWords: [TransportCommand] = []
    ) async throws(DeviceError) -> HIDTransport {
        let transport = try HIDTransport(device, lastWords)
        let result = await withCheckedContinuation {
            (opened: CheckedContinuation<Result<Void, DeviceError>, Never>) in
            do throws(DeviceError) {
                try DeviceThread.start("swiped-hid") { transport.read(opened: opened, $0) }
            } catch {
                opened.resume(returning: .failure(error))
            }
        }
        try result.get()
        return transport
    }

    private init(_ device: DeviceIdentity, _ lastWords: [TransportCommand]) throws(DeviceError) {
        wakePipe = Guarded(try WakePipe.made())
        self.lastWords = lastWords
        let descriptor = (try? ReportDescriptor(device.reportDescriptor)) ?? .empty
        let inbox = Mailbox<HIDReport>(capacity: Self.queuedReports)
        node = HIDNode(device)
        self.descriptor = descriptor
        self.inbox = inbox
        commands = HIDCommandQueue(node: node, descriptor: descriptor) { _ = inbox.deliver($0) }
    }

    package func receive() async throws(DeviceError) -> HIDReport { try await inbox.next() }

    package var arrivedInputs: Int { inbox.accepted }
    package var lostInputs: Int { inbox.lost }
    package var lostBeforeLastInput: Int { inbox.lostBeforeLast }

    package func send(_ command: TransportCommand) async throws(DeviceError) {
        try await commands.send(command)
    }

    package func close() async {
        inbox.close()
        await end(.closed, .closed)
    }

    /// What it sent before is told first: the kernel keeps it, and udev's word often comes before it was read.
    package func unplugged() async { await end(.unplugged, .gone) }

    private func end(_ why: Ending, _ error: DeviceError) async {
        // A device that is closed is not unplugged any more.
        ending.change { $0 = $0 ?? why }
        wakePipe.change { $0?.wake() }
        commands.end(error)
        await readerEnded.wait()
    }

    /// The reading thread.
    private func read(
        opened: CheckedContinuation<Result<Void, DeviceError>, Never>, _ pulse: ThreadPulse
    ) {
        do throws(DeviceError) {
            let reports = try node.openForReading()
            opened.resume(returning: .success(()))
            if let pipe = wakePipe.change({ $0 }) { read(reports, pipe, pulse) }
        } catch {
            opened.resume(returning: .failure(error))
        }
        // Before it is told that all is closed.
        wakePipe.change { $0 = nil }
        readerEnded.open()
    }

    private func read(_ reports: borrowing HIDReports, _ wakePipe: WakePipe, _ pulse: ThreadPulse) {
        let length =
            (descriptor.longestByteLength(.input) ?? Self.assumedReportBytes)
            + (descriptor.isNumbered ? 1 : 0)
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, length))
        buffer.initialize(repeating: 0)
        defer { buffer.deallocate() }
        while ending.change({ $0 }) == nil {
            pulse.rest()
            do throws(DeviceError) {
                let isThere = try reports.wait(wakePipe)
                pulse.beat()
                if isThere { _ = try take(reports, buffer) }
            } catch {
                commands.end(error)
                return inbox.finish(error)
            }
        }
        if ending.change({ $0 }) == .unplugged { finish(reports, buffer) }
        // A command that is on its way would come behind them, and undo them.
        if !lastWords.isEmpty, commands.rests(within: Self.restMilliseconds, pulse) {
            pulse.beat()
            // While the reports are still open: the kernel has nothing to wake up for it.
            if let handle = try? node.open() { say(lastWords, to: handle, pulse) }
        }
    }

    /// Passes one report on. False where there is none.
    private func take(
        _ reports: borrowing HIDReports, _ buffer: UnsafeMutableBufferPointer<UInt8>
    ) throws(DeviceError) -> Bool {
        let count = try reports.read(into: buffer)
        guard count > 0 else { return false }
        let report = report(buffer[..<count])
        // It held a card, and the next one may not come before the evening.
        if let bytes = buffer.baseAddress { explicit_bzero(bytes, count) }
        // Without room it is lost, which the mailbox counts.
        _ = inbox.offer(report)
        return true
    }

    /// What the kernel still has of a device that is gone: 63 reports at most.
    private func finish(_ reports: borrowing HIDReports, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
        var left = Self.keptReports
        do throws(DeviceError) {
            while left > 0, try take(reports, buffer) { left -= 1 }
        } catch {
            // It is gone, which is told anyway.
        }
        inbox.finish(.gone)
    }

    /// On the thread that closes the device, so that nothing is said after it. A mute device holds it for the kernel's 5 s.
    private func say(_ words: [TransportCommand], to handle: borrowing HIDHandle, _ pulse: ThreadPulse) {
        for word in words {
            pulse.beat()
            do throws(DeviceError) {
                switch word {
                case .output(let bytes, let id): try handle.write([id] + bytes)
                case .setFeature(let bytes, let id): try handle.setFeature([id] + bytes)
                case .feature, .getFeature, .sound, .write: continue
                }
            } catch {
                return
            }
        }
    }

    private func report(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>) -> HIDReport {
        guard descriptor.isNumbered, let id = bytes.first else { return HIDReport(bytes: Array(bytes)) }
        return HIDReport(id: id, bytes: Array(bytes.dropFirst()))
    }
}
