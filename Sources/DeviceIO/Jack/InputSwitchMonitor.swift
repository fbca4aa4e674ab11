// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import Glibc
package import ReaderKit
import UnixIO

/// Tells what is in a jack that the kernel shows as an input device with a switch: first its state, then every change.
///
/// For cards whose drivers have no jack controls. Input devices come and go: one that is gone has nothing in it.
package final class InputSwitchMonitor: Sendable {
    package enum Choice: Sendable, Hashable {
        /// Those that the kernel hangs below a sound card: `…/sound/card0/input7`.
        case onCard(syspath: String)
        /// The one of that name, wherever it is; it may appear later.
        case named(String)
    }

    private static let queuedStates = 64
    /// More switches than a machine has.
    private static let maximumSwitches = 16

    private let choice: Choice
    private let states = Mailbox<JackState>(capacity: InputSwitchMonitor.queuedStates)
    private let wakePipe: WakePipe
    private let ended = Latch()

    package init(_ choice: Choice) throws(DeviceError) {
        self.choice = choice
        wakePipe = try WakePipe.made()
        try DeviceThread.start("swiped-switch") { [self] pulse in
            defer { ended.open() }
            do throws(DeviceError) {
                try watch(pulse)
            } catch {
                states.finish(error)
            }
        }
    }

    /// The next state, in order. Throws ``DeviceError/unsupported(detail:)`` at once for a card without a switch, and
    /// ``DeviceError/closed`` after ``close()``.
    package func next() async throws(DeviceError) -> JackState { try await states.next() }

    package func close() async {
        states.close()
        wakePipe.wake()
        await ended.wait()
    }

    /// The monitor listens before the devices are listed, so that none falls between the two.
    private func watch(_ pulse: ThreadPulse) throws(DeviceError) {
        let udev = try UdevContext()
        let monitor = try udev.monitor([.input])
        var switches = InputSwitchTable(limit: Self.maximumSwitches)
        for path in try udev.syspaths([.input]) {
            if let device = udev.device(syspath: path), isOurs(device.node) { switches.add(device.node) }
        }
        try requireAny(switches)
        while true {
            for state in switches.changes() where !states.deliver(state) { return }
            pulse.rest()
            var polled = switches.polled(with: [monitor.descriptor, wakePipe.readEnd])
            while poll(&polled, nfds_t(polled.count), -1) < 0 {
                guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
            }
            pulse.beat()
            if polled[1].revents != 0 { return }
            switches.throwEventsAway(polled)
            if polled[0].revents != 0 { try follow(monitor, &switches) }
        }
    }

    private func requireAny(_ switches: borrowing InputSwitchTable) throws(DeviceError) {
        guard switches.isEmpty else { return }
        switch choice {
        case .onCard(let syspath):
            throw .unsupported(detail: "\(syspath) has neither a jack control nor an input switch")
        case .named(let name):
            // Nothing is in what is not there; it may come.
            guard states.deliver(JackState(name: name, isIn: false)) else { throw .closed }
        }
    }

    /// Where messages were lost the watch begins anew, with a look at what there is.
    private func follow(
        _ monitor: borrowing UdevMonitor, _ switches: inout InputSwitchTable
    ) throws(DeviceError) {
        var hasLost = false
        while let device = monitor.receive(&hasLost) {
            // A removal is told by the device itself, whose descriptor hangs up; udev can be made to tell of one that is not.
            if device.node.action != "remove", isOurs(device.node) { switches.add(device.node) }
        }
        if hasLost { throw .system(errno: ENOBUFS, operation: "udev_monitor_receive_device") }
    }

    private func isOurs(_ device: UdevNode) -> Bool {
        guard device.sysname?.hasPrefix("event") == true, let syspath = device.syspath else { return false }
        switch choice {
        case .onCard(let card): return syspath.hasPrefix(card + "/")
        case .named(let name):
            return device.parent(subsystem: DeviceSubsystem.input.rawValue)?.attribute("name") == name
        }
    }
}
