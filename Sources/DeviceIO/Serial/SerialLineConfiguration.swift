package import ReaderKit

/// A serial line that a reader is at, as the configuration says: a tty proves nothing of being a reader.
package struct SerialLineConfiguration: Sendable, Hashable {
    package enum Frame: String, Sendable, Hashable, CaseIterable {
        /// Eight bits, no parity.
        case eightNone = "8N1"
        /// Seven bits, even parity.
        case sevenEven = "7E1"
    }

    /// Bits a second that every Linux knows.
    package static let speeds = [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200]

    package var name: String
    /// `/dev/serial/by-id/…`, which stays the same when numbers change; or `/dev/ttyS0`.
    package var path: String
    package var speed: Int
    package var frame: Frame
    /// Lines that many readers draw their power from.
    package var raisesDTR: Bool
    package var raisesRTS: Bool

    package init(
        name: String, path: String, speed: Int = 9600, frame: Frame = .eightNone, raisesDTR: Bool = true,
        raisesRTS: Bool = true
    ) {
        self.name = name
        self.path = path
        self.speed = speed
        self.frame = frame
        self.raisesDTR = raisesDTR
        self.raisesRTS = raisesRTS
    }

    /// The reader at the line, which is called by its section's name whatever is on the line.
    package var identity: DeviceIdentity {
        DeviceIdentity(
            readerID: ReaderName.plain("serial-" + name), bus: .serial, port: path, node: path,
            syspath: "serial:" + name)
    }
}
