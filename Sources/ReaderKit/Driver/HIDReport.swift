/// A report from a HID device.
package struct HIDReport: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The device sent it of itself, over the interrupt pipe.
        case input
        /// The answer to ``TransportCommand/feature(_:id:)`` or ``TransportCommand/getFeature(id:)``.
        case feature
    }

    package var kind: Kind
    /// The report id, 0 where the descriptor has none; never part of `bytes`.
    package var id: UInt8
    package var bytes: [UInt8]

    package init(kind: Kind = .input, id: UInt8 = 0, bytes: [UInt8]) {
        self.kind = kind
        self.id = id
        self.bytes = bytes
    }
}
