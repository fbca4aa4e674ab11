// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import Glibc

/// The switches that are there, and what was told of each name. Used by one thread.
struct InputSwitchTable: ~Copyable {
    private let limit: Int
    private var switches: [String: SharedSwitch] = [:]
    private var told: [String: Bool] = [:]

    /// Dictionaries hold no noncopyable values.
    private final class SharedSwitch {
        let device: InputSwitch
        init?(_ node: UdevNode) {
            guard let device = InputSwitch(node) else { return nil }
            self.device = device
        }
    }

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { switches.isEmpty }

    mutating func add(_ node: UdevNode) {
        guard let syspath = node.syspath, switches[syspath] == nil, switches.count < limit else { return }
        switches[syspath] = SharedSwitch(node)
    }

    /// What has changed since the last call, by name. What is gone has nothing in it.
    mutating func changes() -> [JackState] {
        var now = told.mapValues { _ in false }
        for (syspath, shared) in switches {
            guard let isIn = shared.device.isIn() else {
                switches[syspath] = nil
                continue
            }
            now[shared.device.name] = isIn || now[shared.device.name] == true
        }
        let changed = now.filter { told[$0.key] != $0.value }
        told = now
        return changed.map { JackState(name: $0.key, isIn: $0.value) }.sorted { $0.name < $1.name }
    }

    /// What to poll: the given descriptors first.
    borrowing func polled(with others: [Int32]) -> [pollfd] {
        (others + switches.values.map { $0.device.descriptor }).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    borrowing func throwEventsAway(_ polled: [pollfd]) {
        for shared in switches.values
        where polled.contains(where: { $0.fd == shared.device.descriptor && $0.revents != 0 }) {
            shared.device.throwEventsAway()
        }
    }
}
