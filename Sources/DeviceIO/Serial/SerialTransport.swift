// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import Glibc
package import ReaderKit
import UnixIO

/// A serial line. One thread owns it, reads and writes; an unplug, or a hang-up, ends it.
package final class SerialTransport: ReaderTransport {
    /// Pieces that wait for the session; the thread waits for room then, and the kernel holds some 4,000 bytes more.
    private static let queuedPieces = 64
    private static let pieceBytes = 512
    /// What may wait to be written: no reader is told as much.
    private static let maximumOutgoing = 4_096
    /// What a device that is gone has sent is in the kernel: so many pieces at the most, and one that goes on is not gone.
    private static let lastPieces = 16
    /// A sign of life at least as often.
    private static let turnMilliseconds: Int32 = 5_000

    private struct Outgoing {
        var bytes: [UInt8] = []
        var isClosing = false
        /// Somebody who knows says that the device is gone.
        var isUnplugged = false
    }

    private let inbox = Mailbox<SerialBytes>(capacity: SerialTransport.queuedPieces)
    private let outgoing = Guarded(Outgoing())
    private let wakePipe: WakePipe
    private let ended = Latch()
    private let lastWords: [UInt8]

    /// Opens the line, off the caller's executor: a port of USB may take a while.
    ///
    /// - Parameter lastWords: what is written when the line is closed while it is there.
    package static func open(
        _ line: SerialLineConfiguration, lastWords: [TransportCommand] = []
    ) async throws(DeviceError) -> SerialTransport {
        let transport = try SerialTransport(lastWords)
        let result = await withCheckedContinuation {
            (opened: CheckedContinuation<Result<Void, DeviceError>, Never>) in
            do throws(DeviceError) {
                try DeviceThread.start("swiped-serial") { transport.run(line, opened, $0) }
            } catch {
                opened.resume(returning: .failure(error))
            }
        }
        try result.get()
        return transport
    }

    private init(_ lastWords: [TransportCommand]) throws(DeviceError) {
        wakePipe = try WakePipe.made()
        self.lastWords = lastWords.flatMap { word -> [UInt8] in
            if case .write(let bytes) = word { bytes } else { [] }
        }
    }

    package func receive() async throws(DeviceError) -> SerialBytes { try await inbox.next() }

    package var arrivedInputs: Int { inbox.accepted }

    package func send(_ command: TransportCommand) async throws(DeviceError) {
        guard case .write(let bytes) = command else { throw .refused }
        let isTaken = outgoing.change { outgoing -> Bool in
            guard outgoing.bytes.count + bytes.count <= Self.maximumOutgoing else { return false }
            outgoing.bytes += bytes
            return true
        }
        guard isTaken else { throw .timedOut }
        wakePipe.wake()
    }

    package func close() async {
        inbox.close()
        outgoing.change { $0.isClosing = true }
        wakePipe.wake()
        await ended.wait()
    }

    package func unplugged() async {
        outgoing.change { $0.isUnplugged = true }
        wakePipe.wake()
        await ended.wait()
    }

    private func run(
        _ line: SerialLineConfiguration, _ opened: CheckedContinuation<Result<Void, DeviceError>, Never>,
        _ pulse: ThreadPulse
    ) {
        defer { ended.open() }
        do throws(DeviceError) {
            let port = try SerialPort(line)
            opened.resume(returning: .success(()))
            serve(port, pulse)
        } catch {
            opened.resume(returning: .failure(error))
        }
    }

    private func serve(_ port: consuming SerialPort, _ pulse: ThreadPulse) {
        do throws(DeviceError) {
            while try turn(port, pulse) {}
            if outgoing.change({ $0.isUnplugged && !$0.isClosing }) { try readWhatIsLeft(port) }
            inbox.finish(.gone)
            // Nothing comes of it where the device is gone; where only its name is, it hears them.
            port.close(saying: lastWords)
        } catch {
            inbox.finish(error)
        }
    }

    /// Waits for bytes or for something to write. False once it is closed.
    private func turn(_ port: borrowing SerialPort, _ pulse: ThreadPulse) throws(DeviceError) -> Bool {
        pulse.beat()
        let isWaiting = try write(to: port)
        var polled = [
            pollfd(fd: port.descriptor, events: Int16(isWaiting ? POLLIN | POLLOUT : POLLIN), revents: 0),
            pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, nfds_t(polled.count), Self.turnMilliseconds) < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
        }
        if polled[1].revents != 0 { wakePipe.drain() }
        // What came before a hang-up is read before it.
        if polled[0].revents & Int16(POLLIN) != 0 {
            guard try read(from: port) else { return false }
        } else if polled[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            throw .gone
        }
        return !outgoing.change { $0.isClosing || $0.isUnplugged }
    }

    private func readWhatIsLeft(_ port: borrowing SerialPort) throws(DeviceError) {
        for _ in 0..<Self.lastPieces {
            var polled = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 0) > 0, polled.revents & Int16(POLLIN) != 0, try read(from: port)
            else { return }
        }
    }

    private func read(from port: borrowing SerialPort) throws(DeviceError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 1)
        defer {
            // It held a card, and the next one may not come before the evening.
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
            buffer.deallocate()
        }
        guard let count = try port.read(into: buffer) else { return true }
        return inbox.deliver(SerialBytes(Array(buffer.prefix(count))))
    }

    /// - Returns: whether something still waits to be written.
    private func write(to port: borrowing SerialPort) throws(DeviceError) -> Bool {
        let waiting = outgoing.change { $0.bytes }
        guard !waiting.isEmpty else { return false }
        let written = try port.write(waiting)
        return outgoing.change { outgoing -> Bool in
            outgoing.bytes.removeFirst(written)
            return !outgoing.bytes.isEmpty
        }
    }
}
