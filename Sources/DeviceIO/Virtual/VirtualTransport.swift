// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import Glibc
package import ReaderKit
import SystemPackage
import UnixIO

package typealias VirtualHIDTransport = VirtualTransport<HIDReport>
package typealias VirtualLineTransport = VirtualTransport<SerialBytes>
package typealias VirtualKeyTransport = VirtualTransport<KeyInput>

/// Replays what is written to a FIFO into a real driver.
package final class VirtualTransport<Input: Sendable>: ReaderTransport {
    /// How soon the removal of the source is noticed; a FIFO's own descriptor does not tell of it.
    private static var unplugMilliseconds: Int32 { 100 }
    private static var chunkBytes: Int { 4_096 }
    static var queuedInputs: Int { 64 }

    private let path: String
    private let inbox = Mailbox<Input>(capacity: VirtualTransport.queuedInputs)
    private let wakePipe: WakePipe
    private let ended = Latch()

    private let complain: @Sendable (String) -> Void

    /// - Parameters:
    ///   - script: what makes inputs of the bytes; used on the reading thread.
    ///   - complain: hears of what makes none; on the same.
    init(
        _ path: String, _ script: any SourceScript<Input>, complain: @escaping @Sendable (String) -> Void
    ) throws(DeviceError) {
        self.complain = complain
        self.path = path
        wakePipe = try WakePipe.made()
        let source = try Self.openSource(path)
        try DeviceThread.start("swiped-virtual") { [self] pulse in
            defer { ended.open() }
            replay(source, script, pulse)
        }
    }

    package func receive() async throws(DeviceError) -> Input { try await inbox.next() }

    package var arrivedInputs: Int { inbox.accepted }

    /// There is no device to ask.
    package func send(_ command: TransportCommand) async throws(DeviceError) { throw .refused }

    package func close() async {
        inbox.close()
        wakePipe.wake()
        await ended.wait()
    }

    package func unplugged() async {
        inbox.finish(.gone)
        wakePipe.wake()
        await ended.wait()
    }

    static func openSource(_ path: String) throws(DeviceError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
        } catch {
            let code = (error as? Errno) ?? .ioError
            if code == .noSuchFileOrDirectory { throw .gone }
            if code == .permissionDenied {
                throw .permissionDenied(detail: "\(path): a virtual reader's source")
            }
            throw .system(errno: code.rawValue, operation: "open")
        }
    }

    private func replay(
        _ first: FileDescriptor, _ script: consuming any SourceScript<Input>, _ pulse: ThreadPulse
    ) {
        var source = first
        defer { try? source.close() }
        do throws(DeviceError) {
            while try wait(for: source, pulse) {
                guard try replayAll(from: source, &script, pulse) else { continue }
                guard Self.isFIFO(source) else { return idleUntilClosed(pulse) }
                // A descriptor whose writer has closed polls as hung up for ever; a new one waits for the next. It is
                // opened before the old one is closed, so that no writer finds nobody there.
                let next = try Self.openSource(path)
                try? source.close()
                source = next
            }
        } catch {
            inbox.finish(error)
        }
    }

    /// Reads what is there now. True when the writer has closed: a poll alone would not tell of a writer who had
    /// closed before the descriptor was opened.
    private func replayAll(
        from source: FileDescriptor, _ script: inout any SourceScript<Input>, _ pulse: ThreadPulse
    ) throws(DeviceError) -> Bool {
        while let bytes = try Self.read(source) {
            // A source without an end, as /dev/zero, must not keep the daemon from its own.
            guard !inbox.hasEnded else { throw .closed }
            pulse.beat()
            let inputs = bytes.isEmpty ? script.end() : script.receive(bytes)
            for sentence in script.takeComplaints() { complain(sentence) }
            guard deliver(inputs) else { throw .closed }
            if bytes.isEmpty { return true }
        }
        return false
    }

    private func deliver(_ inputs: [Input]) -> Bool {
        for input in inputs where !inbox.deliver(input) { return false }
        return true
    }

    /// False once closed; throws when the source has been removed.
    private func wait(for source: FileDescriptor, _ pulse: ThreadPulse) throws(DeviceError) -> Bool {
        while true {
            pulse.beat()
            var polled = [
                pollfd(fd: source.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&polled, nfds_t(polled.count), Self.unplugMilliseconds)
            if polled[1].revents != 0 { return false }
            if ready > 0 { return true }
            if Self.status(of: source)?.st_nlink == 0 { throw .gone }
        }
    }

    /// Nil when there is nothing now, empty at the end.
    static func read(_ source: FileDescriptor) throws(DeviceError) -> [UInt8]? {
        do {
            return try [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, count in
                count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        } catch {
            let code = (error as? Errno) ?? .ioError
            if code == .wouldBlock || code == .interrupted { return nil }
            throw .system(errno: code.rawValue, operation: "read")
        }
    }

    static func isFIFO(_ source: FileDescriptor) -> Bool {
        (status(of: source)?.st_mode ?? 0) & S_IFMT == S_IFIFO
    }

    private static func status(of source: FileDescriptor) -> stat? {
        var status = stat()
        return fstat(source.rawValue, &status) == 0 ? status : nil
    }

    /// A file has been read: the reader stays attached and says nothing more.
    private func idleUntilClosed(_ pulse: ThreadPulse) {
        pulse.rest()
        var polled = pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0)
        while poll(&polled, 1, -1) < 0 {}
    }
}
