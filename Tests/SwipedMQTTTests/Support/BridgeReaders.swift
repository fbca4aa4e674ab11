import SwipeProtocol

@testable import SwipedMQTT

/// A reader for the bridge.
enum BridgeReaders {
    static let reader = ReaderInfo(
        id: "r", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready,
        claimedBy: Claimant(uid: 1_000, pid: 42, connection: 3))
}
