import Glibc
package import ReaderKit
import SystemPackage

/// Tells what readers there are, and what comes and goes.
///
/// The netlink monitor listens before the enumeration starts, so nothing falls between the two; what both show is
/// told once (``DeviceTable``). libudev is not thread-safe and blocks on sysfs, so it has a thread of its own; the
/// thread waits when its reader is slow, and the kernel's socket buffer holds what comes meanwhile.
package final class HotplugMonitor: Sendable {
    /// Events that wait for their reader before the thread does.
    private static let queuedEvents = 64

    private enum Request { case none, rescan, stop }

    private let events = Mailbox<DeviceEvent>(capacity: HotplugMonitor.queuedEvents)
    private let request = Guarded(Request.rescan)
    private let wakePipe: WakePipe

    /// Starts the monitor and the first enumeration, whose end is told by ``DeviceEvent/scanned``.
    package init(_ subsystems: [DeviceSubsystem] = DeviceSubsystem.allCases) throws(DeviceError) {
        wakePipe = try WakePipe()
        try DeviceThread.start("swiped-udev") { [self] in
            do throws(DeviceError) {
                try run(subsystems)
                events.close()
            } catch {
                events.finish(error)
            }
        }
    }

    /// The next event, in order.
    ///
    /// Throws ``DeviceError/closed`` after ``close()``, or what made the monitor end.
    package func next() async throws(DeviceError) -> DeviceEvent { try await events.next() }

    /// Compares what is there with what was told: after a suspend, in which messages may have been lost.
    package func rescan() {
        request.change { if $0 == .none { $0 = .rescan } }
        wakePipe.wake()
    }

    /// Ends the stream and its thread.
    package func close() {
        request.change { $0 = .stop }
        events.close()
        wakePipe.wake()
    }

    private func takeRequest() -> Request {
        request.change { request in
            defer { if request == .rescan { request = .none } }
            return request
        }
    }

    private func run(_ subsystems: [DeviceSubsystem]) throws(DeviceError) {
        let udev = try UdevContext()
        let monitor = try udev.monitor(subsystems)
        var table = DeviceTable()
        while true {
            switch takeRequest() {
            case .stop: return
            case .rescan: tell(table.scanned(try Self.enumerate(udev, subsystems)))
            case .none: break
            }
            switch try Self.wait(monitor.descriptor, wakePipe) {
            case .message: receiveAll(from: monitor, into: &table)
            case .lostMessages:
                receiveAll(from: monitor, into: &table)
                rescan()
            case .woken: wakePipe.drain()
            }
        }
    }

    private func receiveAll(from monitor: borrowing UdevMonitor, into table: inout DeviceTable) {
        while let message = monitor.receive() {
            let device = message.node
            switch device.action {
            case "remove": tell(table.lost(syspath: device.syspath ?? ""))
            case _: if let found = Self.identify(device) { tell(table.saw(found)) }
            }
        }
    }

    private func tell(_ news: [DeviceEvent]) {
        for event in news where !events.deliver(event) { return }
    }

    private static func enumerate(
        _ udev: borrowing UdevContext, _ subsystems: [DeviceSubsystem]
    ) throws(DeviceError) -> [DeviceIdentity] {
        var found: [DeviceIdentity] = []
        for path in try udev.syspaths(subsystems) {
            if let device = udev.device(syspath: path), let identity = identify(device.node) {
                found.append(identity)
            }
        }
        return found
    }

    private static func identify(_ device: UdevNode) -> DeviceIdentity? {
        HIDIdentity.read(device) ?? SoundCardIdentity.read(device)
    }

    private enum Wakeup { case message, lostMessages, woken }

    private static func wait(_ netlink: Int32, _ wakePipe: WakePipe) throws(DeviceError) -> Wakeup {
        var polled = [
            pollfd(fd: netlink, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakePipe.readEnd.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, nfds_t(polled.count), -1) < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
        }
        if polled[1].revents != 0 { return .woken }
        // The kernel dropped messages (ENOBUFS): the socket says so once, by an error.
        return polled[0].revents & Int16(POLLERR) != 0 ? .lostMessages : .message
    }
}
