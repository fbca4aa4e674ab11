import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import HIDReaders

/// Packets with every bit of fields 4, 8 and 9 in every company: what is put in comes out, nothing else does.
@Suite struct IDTechRoundTripTests {
    /// What a packet is built from, and what must be read of it.
    struct Built {
        var sent: UInt8
        var encrypted: UInt8
        var optional: [UInt8]?
        var lengths: [Int]
        var data: [UInt8] = []
        var typed: [UInt8] = []
        var expected: IDTechPacket

        init(sent: UInt8, encrypted: UInt8, optional: [UInt8]?, using random: inout SeededGenerator) throws {
            (self.sent, self.encrypted, self.optional) = (sent, encrypted, optional)
            lengths = (0..<3).map { _ in Int.random(in: 0...110, using: &random) }
            let status = UInt8.random(in: 0..<64, using: &random) | (optional == nil ? 0 : 0x40)
            expected = try IDTechPacket(type: 0x80)
            expected.hasFixedKey = sent & 0x08 != 0
            expected.cipher = sent & 0x10 == 0 ? .tdes : .aes
            expected.hasChip = sent & 0x20 != 0
            expected.usesPINKey = sent & 0x40 != 0
            add([0x80, status] + lengths.map { UInt8($0) } + [sent, encrypted])
            if let optional { add([UInt8(optional.count)] + optional) }
            for index in 0..<3 {
                expected.tracks[index].length = lengths[index]
                expected.tracks[index].isDecoded = status & (1 << index) != 0
                expected.tracks[index].isSampled = status & (8 << index) != 0
            }
            addTracks(using: &random)
            addKeys(using: &random)
        }

        /// No ciphertext without a key's number, but for a fixed key's.
        var namesItsKey: Bool {
            expected.hasFixedKey || expected.keySerialNumber != nil
                || expected.tracks.allSatisfy { $0.ciphertext?.isEmpty != false }
        }

        private mutating func addTracks(using random: inout SeededGenerator) {
            for index in 0..<3 where sent & (1 << index) != 0 {
                let text = (0..<lengths[index]).map { _ in UInt8.random(in: 0x20...0x5F, using: &random) }
                expected.tracks[index].text = text
                data += text
                typed += text
            }
            let block = expected.cipher.blockBytes
            for index in 0..<3 where encrypted & (1 << index) != 0 {
                let count = (lengths[index] + block - 1) / block * block
                expected.tracks[index].ciphertext = bytes(count, using: &random)
            }
            if encrypted & 0x40 != 0 { expected.session = bytes(block, using: &random) }
            let hash = (optional?.first ?? 0) & 1 == 0 ? 20 : 32
            for index in 0..<3 where encrypted & (8 << index) != 0 {
                expected.tracks[index].hash = bytes(hash, using: &random)
            }
        }

        private mutating func addKeys(using random: inout SeededGenerator) {
            if sent & 0x80 != 0 { expected.serial = bytes(10, using: &random) }
            if encrypted & 0x80 != 0 { expected.keySerialNumber = bytes(10, using: &random) }
            // A MAC behind its length, and its key's number.
            if (optional?.first ?? 0) & 0x20 != 0 { _ = bytes(15, using: &random) }
        }

        private mutating func bytes(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            add(bytes)
            return bytes
        }

        private mutating func add(_ bytes: [UInt8]) {
            data += bytes
            typed += Array(Hex.text(bytes).utf8)
        }
    }

    static func typedFrame(_ characters: [UInt8]) -> [UInt8] {
        let check = [characters.reduce(0, ^), characters.reduce(0, &+), 0x03]
        let head = [0x02, UInt8(characters.count & 0xFF), UInt8(characters.count >> 8)]
        return Array(Hex.text(head).utf8) + characters + Array(Hex.text(check).utf8)
    }

    @Test(arguments: 0..<256) func everyBitOfBothFields(sent: Int) throws {
        var random = SeededGenerator(state: UInt64(sent))
        // A quarter of the values with each of field 8's, another quarter with the next.
        for encrypted in UInt8(0)...255 where Int(encrypted) % 4 == sent % 4 {
            let built = try Built(sent: UInt8(sent), encrypted: encrypted, optional: nil, using: &random)
            let frame = try IDTechFrame.binary(IDTechPackets.frame(built.data))
            guard built.namesItsKey else {
                #expect(throws: IDTechPacket.Refusal.noKeySerialNumber) { try IDTechPacket(frame) }
                continue
            }
            #expect(try IDTechPacket(frame) == built.expected, "field 9: \(encrypted)")
            guard encrypted % 16 == UInt8(sent % 16) else { continue }
            let typed = try IDTechPacket(IDTechFrame.typed(Self.typedFrame(built.typed)))
            #expect(typed == built.expected, "field 9: \(encrypted), typed")
            #expect(throws: IDTechPacket.Refusal.self) {
                try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(built.data + [1])))
            }
            if built.data.count > 7 {
                #expect(throws: IDTechPacket.Refusal.self) {
                    try IDTechPacket(
                        IDTechFrame.binary(IDTechPackets.frame(Array(built.data.dropLast()))))
                }
            }
        }
    }

    /// SREDKey 2: the first optional byte, in every value.
    @Test func everyOptionalBit() throws {
        var random = SeededGenerator(state: 7)
        for first in UInt8(0)...255 {
            for more in [[], [0], [0xFF, 1]] as [[UInt8]] {
                let built = try Built(sent: 0x83, encrypted: 0xFF, optional: [first] + more, using: &random)
                let frame = try IDTechFrame.binary(IDTechPackets.frame(built.data))
                if first & 0x02 != 0 {
                    #expect(throws: IDTechPacket.Refusal.unknownCipher) { try IDTechPacket(frame) }
                } else {
                    #expect(try IDTechPacket(frame) == built.expected, "\(first)")
                }
            }
        }
    }

    /// What the bits of field 8 say of the key reaches clients.
    @Test(
        arguments: [
            (0x00, "dukpt-tdes", .data), (0x08, "fixed-tdes", .data), (0x10, "dukpt-aes", .data),
            (0x18, "fixed-aes", .data), (0x20, "dukpt-tdes", .data), (0x40, "dukpt-tdes", .pin),
            (0x50, "dukpt-aes", .pin),
        ] as [(Int, String, SwipeEncryption.KeyVariant)])
    func theKeyIsTold(bits: Int, scheme: String, variant: SwipeEncryption.KeyVariant) throws {
        var random = SeededGenerator(state: UInt64(bits))
        var encryption: SwipeEncryption?
        while encryption == nil {
            let built = try Built(
                sent: UInt8(bits | 0x82), encrypted: 0x82, optional: nil, using: &random)
            guard built.lengths[1] > 0 else { continue }
            encryption = built.expected.swipe().encryption
        }
        #expect(encryption?.scheme == scheme)
        #expect(encryption?.keyVariant == variant)
        // Without bit 6 nothing tells: a published swipe with 03 in field 8 opens with the PIN key.
        #expect(encryption?.isKeyVariantAssumed == (bits & 0x40 == 0))
    }
}
