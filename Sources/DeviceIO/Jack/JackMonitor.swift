import CALSA
import Glibc
package import ReaderKit
import UnixIO

/// Which card's jacks to watch.
package struct JackConfiguration: Sendable, Hashable {
    /// An ALSA control device: `hw:CARD=PCH`.
    package var control: String
    /// ALSA configuration text that defines `control`, in place of the system's; nil: the system's.
    package var definition: String?
    /// The one control that counts; nil: every jack that a headset's plug goes into.
    package var name: String?

    package init(control: String, definition: String? = nil, name: String? = nil) {
        self.name = name
        self.control = control
        self.definition = definition
    }
}

/// Whether something is in one jack of a sound card.
package struct JackState: Sendable, Hashable {
    /// The driver's name for it: `Mic Jack`, `Headset Mic Jack`, `Headphone Jack`.
    package var name: String
    package var isIn: Bool

    package init(name: String, isIn: Bool) {
        self.name = name
        self.isIn = isIn
    }
}

/// Tells what is in the jacks of one sound card, through its ALSA controls: first the state of each, then every
/// change of one. A bounce that is over before it could be looked at is no change.
package final class JackMonitor: Sendable {
    private static let queuedStates = 64

    private let states = Mailbox<JackState>(capacity: JackMonitor.queuedStates)
    private let wakePipe: WakePipe
    private let ended = Latch()

    package init(_ configuration: JackConfiguration) throws(DeviceError) {
        wakePipe = try WakePipe.made()
        try DeviceThread.start("swiped-jack") { [self] pulse in
            defer { ended.open() }
            do throws(DeviceError) {
                try watch(configuration, pulse)
            } catch {
                states.finish(error)
            }
        }
    }

    /// The next state, in order. Throws ``DeviceError/gone`` when the card is, ``DeviceError/closed`` after
    /// ``close()``, ``DeviceError/unsupported(detail:)`` at once for a card that knows of no jack.
    package func next() async throws(DeviceError) -> JackState { try await states.next() }

    package func close() async {
        states.close()
        wakePipe.wake()
        await ended.wait()
    }

    private func watch(_ configuration: JackConfiguration, _ pulse: ThreadPulse) throws(DeviceError) {
        let control = try JackControl(configuration)
        try control.subscribe()
        let jacks = try control.jacks().filter { Self.counts($0.name, configuration) }
        guard !jacks.isEmpty else {
            throw .unsupported(
                detail: "\(configuration.control) has no control '\(configuration.name ?? "… Jack")'")
        }
        var known: [JackControl.Element: Bool] = [:]
        var polled =
            try control.descriptors() + [
                pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0)
            ]
        while true {
            for jack in jacks {
                let isIn = try control.isIn(jack)
                guard known.updateValue(isIn, forKey: jack) != isIn else { continue }
                guard states.deliver(JackState(name: jack.name, isIn: isIn)) else { return }
            }
            pulse.rest()
            guard try Self.wait(&polled) else { return }
            pulse.beat()
            while try control.takeEvent() {}
        }
    }

    /// `Phantom Jack` is what HDA drivers show for a plug that is soldered in. A headset's plug shows as one of the
    /// others, or as several; displays and line inputs have jacks too.
    static func counts(_ name: String, _ configuration: JackConfiguration) -> Bool {
        if let wanted = configuration.name { return name == wanted }
        return name.hasSuffix(" Jack") && !name.hasSuffix(" Phantom Jack")
            && ["Mic", "Headphone", "Headset"].contains { (word: String) in strstr(name, word) != nil }
    }

    /// False once woken. A card that is gone polls as an error without end, and says so when it is read.
    private static func wait(_ polled: inout [pollfd]) throws(DeviceError) -> Bool {
        while poll(&polled, nfds_t(polled.count), -1) < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
        }
        if polled[polled.count - 1].revents != 0 { return false }
        let failure = Int16(POLLERR | POLLHUP | POLLNVAL)
        if polled.contains(where: { $0.revents & failure != 0 }) { throw .gone }
        return true
    }
}
