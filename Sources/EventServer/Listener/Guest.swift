internal import Glibc
internal import SwipeProtocol

/// A connection that was accepted and has a place at the ``Door``, and that no channel serves yet.
struct Guest: Sendable {
    let descriptor: Int32
    let peer: PeerCredentials

    var isGone: Bool { Guest.isGone(descriptor) }

    /// Whether the client is gone, and nothing that it sent waits to be read.
    static func isGone(_ descriptor: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: 0, revents: 0)
        guard poll(&polled, 1, 0) > 0, polled.revents & Int16(POLLHUP) != 0 else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) <= 0
    }

    /// Closes without a `bye`.
    func drop() { close(descriptor) }

    /// Says why, and closes. A line of this length fits a socket to which nothing was sent.
    static func turnAway(_ descriptor: Int32, _ code: ByeCode) {
        Event.ofServer(.bye(code)).withBytes {
            _ = send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        close(descriptor)
    }
}

extension Event {
    /// The line of an event that concerns one connection, and has no number.
    static func ofServer(_ body: EventBody) -> EncodedLine {
        let now = EventInstant.now()
        return Event(
            sequence: nil, time: now.wall, monotonicNanoseconds: now.monotonicNanoseconds, body: body
        ).line()
    }
}
