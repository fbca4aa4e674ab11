import Glibc
package import ReaderKit

/// A hidraw device through libhidapi-hidraw.
///
/// Reports are read on the loop that their session runs on (``HIDReportReader``), or on a thread where there is none; commands are
/// carried out on another (``HIDCommandQueue``); each has a handle of its own. An unplug shows as an error of the reading thread, some 10 ms after udev's `remove` or up to 150 ms
/// before it.
package final class HIDTransport: ReaderTransport {
    /// How long the reading thread takes to notice ``close()``: hidapi 0.13 has no descriptor to wake it by.
    private static let readMilliseconds: Int32 = 200
    /// Reports that wait for the session. The thread never waits for room: it would leave the reports to the kernel, which
    /// holds 63 and drops the newest without a word. Here they are counted.
    static let queuedReports = 256
    /// A report's longest size where the descriptor is not known.
    private static let assumedReportBytes = 4_096

    private let node: HIDNode
    private let descriptor: ReportDescriptor
    private let inbox: Mailbox<HIDReport>
    private let commands: HIDCommandQueue
    private let lastWords: [TransportCommand]
    private let isClosing = Guarded(false)
    private let readerEnded = Latch()
    private let loop: SourceLoop?
    /// Reads on the loop, once the device is open.
    private let reader = Guarded<HIDReportReader?>(nil)

    /// Opens the device, off the caller's executor: the kernel takes some 57 ms for it, and drops the device's reports until
    /// then, none later (docs/decisions/0412). Throws ``DeviceError/gone`` where the node is not this device's any more.
    ///
    /// - Parameters:
    ///   - loop: where its session runs; nil for a thread that reads.
    ///   - lastWords: output and feature reports that it is sent when it is closed while it is there.
    package static func open(
        _ device: DeviceIdentity, on loop: SourceLoop? = nil, lastWords: [TransportCommand] = []
    ) async throws(DeviceError) -> HIDTransport {
        let transport = HIDTransport(device, loop, lastWords)
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

    private init(_ device: DeviceIdentity, _ loop: SourceLoop?, _ lastWords: [TransportCommand]) {
        self.loop = loop
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
        isClosing.change { $0 = true }
        inbox.close()
        commands.end(.closed)
        if let reader = reader.change({ $0 }) { endOnLoop(reader) }
        await readerEnded.wait()
    }

    /// The thread that opens the device, and reads where there is no loop.
    private func read(
        opened: CheckedContinuation<Result<Void, DeviceError>, Never>, _ pulse: ThreadPulse
    ) {
        if let loop, let wait = LoopWait(loop) { return begin(on: loop, wait, opened: opened) }
        defer { readerEnded.open() }
        do throws(DeviceError) {
            let handle = try node.openPatiently()
            opened.resume(returning: .success(()))
            readReports(handle, pulse)
        } catch {
            opened.resume(returning: .failure(error))
        }
    }

    private func begin(
        on loop: SourceLoop, _ wait: LoopWait, opened: CheckedContinuation<Result<Void, DeviceError>, Never>
    ) {
        do throws(DeviceError) {
            let reader = HIDReportReader(
                try node.openForReading(), wait, length: reportBytes, isNumbered: descriptor.isNumbered
            ) { [inbox, commands] outcome in
                switch outcome {
                // Without room it is lost, which the mailbox counts.
                case .success(let report): _ = inbox.offer(report)
                case .failure(let error):
                    commands.end(error)
                    inbox.finish(error)
                }
            }
            self.reader.change { $0 = reader }
            loop.run {
                reader.begin()
                opened.resume(returning: .success(()))
            }
        } catch {
            readerEnded.open()
            opened.resume(returning: .failure(error))
        }
    }

    /// The last words are said on a thread, with a handle of their own, while the device is still open.
    private func endOnLoop(_ reader: HIDReportReader) {
        self.reader.change { $0 = nil }
        loop?.run { [self] in
            guard reader.stop(), !lastWords.isEmpty else { return ended(reader) }
            do throws(DeviceError) {
                try DeviceThread.start("swiped-hid-end") { [self] pulse in
                    if let handle = try? node.openPatiently() { say(lastWords, to: handle, pulse) }
                    ended(reader)
                }
            } catch {
                ended(reader)
            }
        }
    }

    private func ended(_ reader: HIDReportReader) {
        loop?.run { [readerEnded] in
            reader.close()
            readerEnded.open()
        }
    }

    /// How long the longest report is, its id included.
    private var reportBytes: Int {
        max(
            1,
            (descriptor.longestByteLength(.input) ?? Self.assumedReportBytes)
                + (descriptor.isNumbered ? 1 : 0))
    }

    private func readReports(_ handle: borrowing HIDHandle, _ pulse: ThreadPulse) {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: reportBytes)
        buffer.initialize(repeating: 0)
        defer { buffer.deallocate() }
        while !isClosing.change({ $0 }) {
            pulse.beat()
            do throws(DeviceError) {
                let count = try handle.read(into: buffer, milliseconds: Self.readMilliseconds)
                guard count > 0 else { continue }
                let report = HIDReport(read: buffer[..<count], isNumbered: descriptor.isNumbered)
                // It held a card, and the next one may not come before the evening.
                if let bytes = buffer.baseAddress { explicit_bzero(bytes, count) }
                // Without room it is lost, which the mailbox counts.
                _ = inbox.offer(report)
            } catch {
                commands.end(error)
                return inbox.finish(error)
            }
        }
        say(lastWords, to: handle, pulse)
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
}

extension HIDReport {
    /// What a node gave, id first where the device numbers its reports.
    init(read bytes: Slice<UnsafeMutableBufferPointer<UInt8>>, isNumbered: Bool) {
        guard isNumbered, let id = bytes.first else {
            self.init(bytes: Array(bytes))
            return
        }
        self.init(id: id, bytes: Array(bytes.dropFirst()))
    }
}
