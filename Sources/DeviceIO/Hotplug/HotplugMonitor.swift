// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import CSourcePoll
import Glibc
package import ReaderKit
import UnixIO

/// Tells what readers there are, and what comes and goes: udev's devices, the configured serial lines and the virtual readers.
///
/// The netlink monitor listens before the enumeration starts, so nothing falls between the two; what both show is
/// told once (``DeviceTable``). libudev is not thread-safe and blocks on sysfs, so it has a thread of its own; the
/// thread waits when its reader is slow, and the kernel's socket buffer holds what comes meanwhile.
package final class HotplugMonitor: Sendable {
    /// Events that wait for their reader before the thread does.
    private static let queuedEvents = 64
    /// How late a suspend is noticed if nothing else happens after it, where the kernel does not tell (``WakeAlarm``).
    private static let suspendCheckMilliseconds: Int32 = 10_000

    private enum Request { case none, rescan, stop }

    private let events = Mailbox<DeviceEvent>(capacity: HotplugMonitor.queuedEvents)
    private let request = Guarded(Request.rescan)
    private let wakePipe: WakePipe

    private let virtualReaders: Guarded<[VirtualReaderConfiguration]>
    private let serialLines: Guarded<[SerialLineConfiguration]>

    /// Starts the monitor and the first enumeration, whose end is told by ``DeviceEvent/scanned``.
    package init(
        _ subsystems: [DeviceSubsystem] = [.hidraw, .sound, .input],
        virtualReaders: [VirtualReaderConfiguration] = [], serialLines: [SerialLineConfiguration] = []
    ) throws(DeviceError) {
        self.virtualReaders = Guarded(virtualReaders)
        self.serialLines = Guarded(serialLines)
        wakePipe = try WakePipe.made()
        try DeviceThread.start("swiped-udev") { [self] pulse in
            do throws(DeviceError) {
                try run(subsystems, pulse)
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

    /// Compares what is there with what was told. Also done by itself after a suspend.
    package func rescan() {
        request.change { if $0 == .none { $0 = .rescan } }
        wakePipe.wake()
    }

    /// Takes other virtual readers in place of the present ones: those that are not named any more are removed.
    package func setVirtualReaders(_ readers: [VirtualReaderConfiguration]) {
        virtualReaders.change { $0 = readers }
        rescan()
    }

    /// Takes other serial lines in place of the present ones.
    package func setSerialLines(_ lines: [SerialLineConfiguration]) {
        serialLines.change { $0 = lines }
        rescan()
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

    private func run(_ subsystems: [DeviceSubsystem], _ pulse: ThreadPulse) throws(DeviceError) {
        let udev = try UdevContext()
        let monitor = try udev.monitor(subsystems.isEmpty ? [] : subsystems + [.tty])
        var sources = try SourceWatch()
        var table = DeviceTable()
        var doubts = RemovalDoubts()
        var clock = SuspendClock()
        let alarm = WakeAlarm()
        while true {
            pulse.beat()
            // Messages may have been lost on the way into a sleep, and devices swapped during it.
            if clock.hasSlept() { rescan() }
            switch takeRequest() {
            case .stop: return
            case .rescan:
                tellGone(doubts.all, &table, &doubts)
                let virtual = presentVirtualReaders(watching: &sources)
                let lines = presentSerialLines(watching: &sources)
                let found = try Self.enumerate(udev, subsystems) + virtual + lines
                tell(table.scanned(found) { SysfsObject(at: $0) })
            case .none: break
            }
            let check = alarm.isSet ? Int32.max : Self.suspendCheckMilliseconds
            let limit = min(check, doubts.milliseconds(from: .now) ?? .max)
            pulse.rest()
            var wakeup = try Self.wait(
                [monitor.descriptor, sources.descriptor, wakePipe.readEnd, alarm.descriptor],
                milliseconds: limit == .max ? -1 : limit)
            pulse.beat()
            if wakeup.isWoken { wakePipe.drain() }
            if wakeup.isClockSet { alarm.wind() }
            if wakeup.hasSources {
                tell(sources.changes(), &table)
                tellOfLines(&table)
            }
            if wakeup.hasMessages {
                receiveAll(from: monitor, into: &table, &doubts, &wakeup.hasLostMessages)
            }
            lookAgain(&table, &doubts)
            if wakeup.hasLostMessages { rescan() }
        }
    }

    /// Watches first, looks second: a source that appears in between is seen twice and told once.
    private func presentVirtualReaders(watching sources: inout SourceWatch) -> [DeviceTable.Sighting] {
        let readers = virtualReaders.change { $0 }
        for reader in readers { sources.add(reader.source) }
        return readers.filter(\.isPresent).map { DeviceTable.Sighting(device: $0.identity, object: nil) }
    }

    private func presentSerialLines(watching sources: inout SourceWatch) -> [DeviceTable.Sighting] {
        let lines = serialLines.change { $0 }
        for line in lines { sources.add(line.path) }
        return SerialLinePresence.sightings(lines)
    }

    /// Something happened to a tty, or in the folder of one: the paths are looked at, whatever it was.
    private func tellOfLines(_ table: inout DeviceTable) {
        let lines = serialLines.change { $0 }
        let there = SerialLinePresence.sightings(lines)
        for line in lines.map(\.identity) where !there.contains(where: { $0.device == line }) {
            tell(table.lost(syspath: line.syspath))
        }
        for sighting in there { tell(table.saw(sighting.device, as: sighting.object)) }
    }

    private func tell(_ changes: [SourceWatch.Change], _ table: inout DeviceTable) {
        let readers = virtualReaders.change { $0 }
        for change in changes {
            switch change {
            case .appeared(let path):
                for reader in readers where reader.source == path { tell(table.saw(reader.identity)) }
            case .vanished(let path):
                for reader in readers where reader.source == path {
                    tell(table.lost(syspath: reader.identity.syspath))
                }
            case .lost: rescan()
            }
        }
    }

    /// Reads past the word of a loss until nothing is left, and only then may be looked anew: the kernel goes on dropping, without
    /// another word, until the queue is empty.
    private func receiveAll(
        from monitor: borrowing UdevMonitor, into table: inout DeviceTable, _ doubts: inout RemovalDoubts,
        _ hasLost: inout Bool
    ) {
        var isInterrupted: Bool
        repeat {
            isInterrupted = false
            while let message = monitor.receive(&isInterrupted) { take(message.node, &table, &doubts) }
            hasLost = hasLost || isInterrupted
        } while isInterrupted
    }

    /// What went meanwhile is told before what came, which may have its port or its serial number.
    private func take(_ device: UdevNode, _ table: inout DeviceTable, _ doubts: inout RemovalDoubts) {
        tellGone(doubts.all, &table, &doubts)
        guard device.subsystem != DeviceSubsystem.tty.rawValue else { return tellOfLines(&table) }
        switch device.action {
        case "remove":
            guard let syspath = device.syspath else { return }
            doubts.add(syspath, at: .now)
            tellGone([syspath], &table, &doubts)
        case _: if let found = Self.identify(device) { tell(table.saw(found.device, as: found.object)) }
        }
    }

    private func lookAgain(_ table: inout DeviceTable, _ doubts: inout RemovalDoubts) {
        let now = ContinuousClock.now, due = doubts.due(at: now)
        tellGone(due, &table, &doubts)
        for syspath in due { doubts.isStillThere(syspath, at: now) }
    }

    private func tellGone(_ syspaths: [String], _ table: inout DeviceTable, _ doubts: inout RemovalDoubts) {
        for syspath in syspaths where !table.holds(syspath, present: SysfsObject(at: syspath)) {
            doubts.settle(syspath)
            tell(table.lost(syspath: syspath))
        }
    }

    private func tell(_ news: [DeviceEvent]) {
        for event in news where !events.deliver(event) { return }
    }

    private static func enumerate(
        _ udev: borrowing UdevContext, _ subsystems: [DeviceSubsystem]
    ) throws(DeviceError) -> [DeviceTable.Sighting] {
        var found: [DeviceTable.Sighting] = []
        for path in try udev.syspaths(subsystems) {
            if let device = udev.device(syspath: path), let sighting = identify(device.node) {
                found.append(sighting)
            }
        }
        return found
    }

    private static func identify(_ device: UdevNode) -> DeviceTable.Sighting? {
        guard
            let identity = HIDIdentity.read(device) ?? SoundCardIdentity.read(device)
                ?? KeyboardIdentity.read(device)
        else { return nil }
        return DeviceTable.Sighting(device: identity, object: SysfsObject(at: identity.syspath))
    }

    private struct Wakeup {
        var hasMessages: Bool
        /// The kernel dropped messages (`ENOBUFS`), which the socket tells once, by an error.
        var hasLostMessages: Bool
        var hasSources: Bool
        var isWoken: Bool
        var isClockSet: Bool
    }

    /// - Parameter descriptors: netlink, inotify, the pipe that wakes, the alarm; -1 is none.
    private static func wait(
        _ descriptors: [Int32], milliseconds: Int32
    ) throws(DeviceError) -> Wakeup {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polled, nfds_t(polled.count), milliseconds) < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
        }
        return Wakeup(
            hasMessages: polled[0].revents != 0,
            hasLostMessages: polled[0].revents & Int16(POLLERR) != 0,
            hasSources: polled[1].revents != 0,
            isWoken: polled[2].revents != 0,
            isClockSet: polled[3].revents != 0)
    }
}
