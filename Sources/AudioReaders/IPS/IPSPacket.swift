import ReaderPackets

/// What an IPS reader says, taken apart.
///
///     off  size
///     0    1     60 swipe
///     1    2     version of the firmware
///     3    1     mode: 00 fixed key, 01 key of the device, FE DUKPT, FD not encrypted
///     4    1     how many digits the card number has
///     5    3     its first six digits, BCD        8    2   its last four
///     10   2     expiry, BCD YYMM                 12   26  name, ASCII
///     38   10    KSN
///     48   80    tracks: 20 bytes of track 2, 60 of track 1 or 3
///     128  1     bits 0-2: tracks 1-3 are there   129  1   counter of swipes
///     130  1     CRC-8 (polynomial 07, from 00): over the whole packet it is 0
///
/// ASSUMPTION, experimental: the layout is that of an open client of readers by another name; nothing public says that
/// they are the SDK's IPS readers, and no capture exists. The CRC of eight bits is all that keeps a wrong packet
/// out, so every field must make sense as well.
package struct IPSPacket: Sendable, Hashable {
    package enum Refusal: String, Error, Sendable, Hashable {
        case empty = "no packet"
        case unknownType = "a packet of no known type"
        case length = "packet of the wrong length"
        case redundancy = "packet's CRC is wrong"
        case unknownMode = "mode of encryption that no document names"
        case digits = "digits that are none"
        case card = "fields that no card has"
    }

    package enum Mode: UInt8, Sendable, Hashable {
        case fixedKey = 0x00
        case deviceKey = 0x01
        case plain = 0xFD
        case dukpt = 0xFE
    }

    package static let length = 131
    static let track2Bytes = 20
    private static let cardNumbers: ClosedRange<UInt8> = 12...19
    private static let expiryMonths = 1...12

    /// ASSUMPTION: as the bytes stand there, in hexadecimal; nothing says how they are to be read.
    package var firmware: String
    package var mode: Mode
    package var cardNumberLength: Int
    package var firstDigits: String
    package var lastDigits: String
    /// YYMM.
    package var expiry: String
    package var name: String
    package var keySerialNumber: [UInt8]
    package var tracks: [UInt8]
    /// Which of tracks 1 to 3 are there.
    package var present: [Bool]
    package var counter: UInt8

    /// Reads a packet whose type byte is 60.
    package init(_ bytes: [UInt8]) throws(Refusal) {
        guard bytes.count == Self.length else { throw .length }
        guard IPSChecksum.value(of: bytes) == 0 else { throw .redundancy }
        guard bytes[0] == IPSMessage.swipeType else { throw .unknownType }
        guard let mode = Mode(rawValue: bytes[3]) else { throw .unknownMode }
        guard Self.cardNumbers.contains(bytes[4]), bytes[128] & 0xF8 == 0, bytes[128] != 0 else {
            throw .card
        }
        guard let first = Self.digits(bytes[5..<8]), let last = Self.digits(bytes[8..<10]),
            let expiry = Self.digits(bytes[10..<12])
        else { throw .digits }
        guard Self.expiryMonths.contains(Int(expiry.suffix(2)) ?? 0) else { throw .card }
        let name = bytes[12..<38]
        guard name.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0 }) else { throw .card }
        firmware = bytes[1..<3].map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        self.mode = mode
        cardNumberLength = Int(bytes[4])
        firstDigits = first
        lastDigits = last
        self.expiry = expiry
        self.name = Self.trimmed(name)
        keySerialNumber = Array(bytes[38..<48])
        tracks = Array(bytes[48..<128])
        present = (0..<3).map { bytes[128] >> $0 & 1 == 1 }
        counter = bytes[129]
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> String? {
        let nibbles = bytes.flatMap { [$0 >> 4, $0 & 0x0F] }
        guard nibbles.allSatisfy({ $0 <= 9 }) else { return nil }
        return String(decoding: nibbles.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    }

    private static func trimmed(_ name: ArraySlice<UInt8>) -> String {
        var name = name.prefix { $0 != 0 }
        while name.last == UInt8(ascii: " ") { name.removeLast() }
        return String(decoding: name, as: UTF8.self)
    }
}

/// What an IPS reader says in one burst.
package enum IPSMessage: Sendable, Hashable {
    static let swipeType: UInt8 = 0x60
    static let badSwipeType: UInt8 = 0x66
    static let wakeType: UInt8 = 0x4D
    /// Wakes a reader up, and asks whether one is there. It is not said to bear a check byte.
    package static let wakeUp: [UInt8] = [0x0C]
    /// Type, two bytes of a line, two lengths, CRC.
    private static let shortest = 2
    private static let badSwipeLengths = [6, IPSPacket.length]

    case awake
    case swipe(IPSPacket)
    /// A card passed, and the reader could not read it. The SDK says nothing then; we report an unreadable swipe.
    case badSwipe
    case malformed(IPSPacket.Refusal)
    /// A byte was not heard right.
    case damaged

    package init(_ message: BurstCollector.Message) {
        guard !message.isDamaged else {
            self = .damaged
            return
        }
        let bytes = message.bytes
        switch bytes.first {
        case Self.swipeType: self = Self.packet(bytes)
        case Self.badSwipeType: self = Self.badSwipe(bytes)
        // In one place of the client the type stands in second place.
        case Self.wakeType,
            _ where bytes.dropFirst().first == Self.wakeType:
            self = Self.wake(bytes)
        case nil: self = .malformed(.empty)
        case _: self = .malformed(.unknownType)
        }
    }

    private static func packet(_ bytes: [UInt8]) -> IPSMessage {
        do throws(IPSPacket.Refusal) { return .swipe(try IPSPacket(bytes)) } catch {
            return .malformed(error)
        }
    }

    /// ASSUMPTION: as short as its fields, or filled up to the length of a swipe.
    private static func badSwipe(_ bytes: [UInt8]) -> IPSMessage {
        guard badSwipeLengths.contains(bytes.count) else { return .malformed(.length) }
        return IPSChecksum.value(of: bytes) == 0 ? .badSwipe : .malformed(.redundancy)
    }

    private static func wake(_ bytes: [UInt8]) -> IPSMessage {
        guard bytes.count >= shortest else { return .malformed(.length) }
        return IPSChecksum.value(of: bytes) == 0 ? .awake : .malformed(.redundancy)
    }
}

/// CRC-8, polynomial x⁸+x²+x+1, from 0, not reflected.
package enum IPSChecksum {
    private static let polynomial: UInt8 = 0x07

    package static func value(of bytes: some Sequence<UInt8>) -> UInt8 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ byte) { value, _ in value << 1 ^ (value & 0x80 != 0 ? polynomial : 0) }
        }
    }
}
