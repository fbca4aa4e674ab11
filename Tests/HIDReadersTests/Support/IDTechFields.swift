import CardData
import ReaderKit
import ReaderTesting

@testable import HIDReaders
@testable import ReaderPackets

/// Packets with fields to look at.
enum IDTechFields {
    static func packet(_ data: [UInt8]) throws -> IDTechPacket {
        try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data)))
    }
}
