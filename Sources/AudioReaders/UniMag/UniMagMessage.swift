package import ReaderPackets

/// What a UniMag or Shuttle is told.
///
/// The bytes are those of ID TECH's readers on USB (`docs/readers.md`). ASSUMPTION: that the acoustic link carries them
/// as they are; and which command asks for a swipe and takes that back: "arm and disarm" of the buffered reading, whose
/// letter is public and whose values are not.
package enum UniMagCommand: Sendable, Hashable, CaseIterable {
    /// What the handshake after the power-up asks for.
    case version
    case requestSwipe
    case cancelSwipe

    package var bytes: [UInt8] {
        switch self {
        case .version: IDTechCommand.read(IDTechCommand.firmwareID).bytes
        case .requestSwipe: Self.checked([0x02, 0x50, 0x01, 0x31, 0x03])
        case .cancelSwipe: Self.checked([0x02, 0x50, 0x01, 0x30, 0x03])
        }
    }

    private static func checked(_ body: [UInt8]) -> [UInt8] { body + [body.reduce(0, ^)] }
}

/// What a UniMag or Shuttle says in one burst.
///
///     06                            agreed
///     06 02 data… 03 RR             the answer to a question; R: XOR of everything from 02 to 03
///     15, 16, 17 or 18              refused
///     02 LL HH data… LRC SUM 03     a swipe
package enum UniMagMessage: Sendable, Hashable {
    case agreed
    /// What stands between 02 and 03.
    case answer([UInt8])
    case refused(IDTechResponse.Refusal)
    case swipe(IDTechPacket)
    /// Bytes that are none of these, and why they are no swipe. A card that the reader could not read is no such thing, but a
    /// packet with no track decoded.
    case malformed(IDTechPacket.Refusal)
    /// A byte was not heard right.
    case damaged

    /// What may stand behind the last byte of a message: a byte of noise before the silence.
    private static let longestTail = 2

    package init(_ message: BurstCollector.Message) {
        guard !message.isDamaged else {
            self = .damaged
            return
        }
        switch message.bytes.first {
        case IDTechFrame.start: self = Self.packet(message.bytes)
        case 0x06: self = Self.reply(message.bytes)
        case 0x15: self = Self.bare(message.bytes, .notAcknowledged)
        case 0x16: self = Self.bare(message.bytes, .unknownSetting)
        case 0x17: self = Self.bare(message.bytes, .pointOfSaleMode)
        case 0x18: self = Self.bare(message.bytes, .other)
        case _: self = .malformed(.noStart)
        }
    }

    private static func packet(_ bytes: [UInt8]) -> UniMagMessage {
        do throws(IDTechPacket.Refusal) {
            let frame = try IDTechFrame.binary(bytes)
            guard bytes.count - frame.endIndex <= longestTail else { return .malformed(.leftOver) }
            return .swipe(try IDTechPacket(frame))
        } catch {
            return .malformed(error)
        }
    }

    private static func reply(_ bytes: [UInt8]) -> UniMagMessage {
        guard bytes.count > 1 else { return .agreed }
        // The version is the one answer that is taken whatever it says; its shape is that of all of them.
        do throws(IDTechResponse.Refusal) {
            return .answer(try IDTechResponse.data(bytes, to: .read(IDTechCommand.firmwareID)))
        } catch {
            return .malformed(.redundancy)
        }
    }

    private static func bare(_ bytes: [UInt8], _ refusal: IDTechResponse.Refusal) -> UniMagMessage {
        bytes.count == 1 ? .refused(refusal) : .malformed(.leftOver)
    }
}
