import ReaderKit
import ReaderPackets

/// A setting of an ID TECH reader by its name for clients.
struct IDTechProperty: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// One of these characters.
        case choice(String)
        /// ASCII, so many characters at most.
        case text(Int)
        /// One byte.
        case number(ClosedRange<Int>)
        /// So many bytes.
        case bytes(Int)
    }

    var name: String
    var id: UInt8
    var kind: Kind
    var isWritable: Bool
    var summary: String

    var descriptor: PropertyDescriptor {
        PropertyDescriptor(name: name, summary: summary, isWritable: isWritable)
    }

    private init(_ name: String, _ id: UInt8, _ kind: Kind, writable: Bool = true, _ summary: String) {
        (self.name, self.id, self.kind, self.isWritable, self.summary) = (name, id, kind, writable, summary)
    }

    /// SecureMag manual 80096504, "Function ids".
    static let all: [IDTechProperty] = [
        Self(
            "firmware", IDTechCommand.firmwareID, .text(64), writable: false,
            "Name and version of the firmware"),
        Self("serial", 0x4E, .text(16), writable: false, "Serial number"),
        Self(
            "security_level", 0x7E, .choice("01234"), writable: false,
            "0 exhausted, 1 none, 2 key, 3 encrypts, 4 authenticates"),
        Self(
            "key_serial_number", 0x51, .bytes(10), writable: false,
            "DUKPT key serial number of the next swipe"),
        Self("key_management", 0x58, .choice("01"), writable: false, "0 fixed key, 1 DUKPT"),
        Self("encryption", 0x4C, .choice("012"), "0 none, 1 TDES, 2 AES"),
        Self("track_selection", 0x13, .choice("0123456789"), "Which tracks are read and required"),
        Self("decode_direction", 0x1D, .choice("0123"), "0 raw, 1 both ways, 2 and 3 one way"),
        Self("terminator", 0x21, .number(0...255), "Character behind a swipe in clear"),
        Self("shown_digits_start", 0x49, .number(0...6), "Digits of the account number left at its start"),
        Self("shown_digits_end", 0x4A, .number(0...4), "Digits of the account number left at its end"),
        Self("mask_character", 0x4B, .number(0x20...0x7E), "Character that masks"),
        Self("show_expiry", 0x50, .choice("01"), "The expiry date is shown"),
        Self("hash_tracks", 0x5C, .choice("01234567"), "Tracks with a hash, as bits"),
        Self("send_lrc", 0x6F, .choice("01"), "Encrypted tracks end with their LRC"),
        Self("force_encryption", 0x84, .number(0...15), "Tracks that are always encrypted, as bits"),
        Self("packet_structure", 0x85, .choice("01"), "0 original, 1 enhanced"),
        Self("masked_tracks", 0x86, .number(0...7), "Tracks that are sent masked, as bits"),
        Self("session_id", 0x54, .bytes(8), "Encrypted into every swipe at level 4"),
    ]

    func decode(_ data: [UInt8]) throws(PropertyError) -> PropertyValue {
        switch kind {
        case .choice, .text:
            guard data.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return .bytes(data) }
            return .text(String(decoding: data, as: UTF8.self))
        case .number:
            guard data.count == 1 else { throw .refused(reason: IDTechResponse.Refusal.malformed.rawValue) }
            return .number(Int(data[0]))
        case .bytes: return .bytes(data)
        }
    }

    func setCommand(_ value: PropertyValue) throws(PropertyError) -> IDTechCommand {
        guard isWritable else { throw .readOnly }
        switch (kind, value) {
        case (.choice(let allowed), .text(let text)) where text.utf8.count == 1 && allowed.contains(text):
            return .set(id, Array(text.utf8))
        case (.text(let longest), .text(let text))
        where text.utf8.count <= longest && text.utf8.allSatisfy({ $0 < 0x7F }):
            return .set(id, Array(text.utf8))
        case (.number(let range), .number(let number)) where range.contains(number):
            return .set(id, [UInt8(truncatingIfNeeded: number)])
        case (.bytes(let count), .bytes(let bytes)) where bytes.count == count: return .set(id, bytes)
        case (.choice, _), (.text, _), (.number, _), (.bytes, _): throw .badValue(allowed)
        }
    }

    private var allowed: String {
        switch kind {
        case .choice(let characters): "one of the characters \(characters)"
        case .text(let longest): "a text of at most \(longest) ASCII characters"
        case .number(let range): "a number, \(range.lowerBound) to \(range.upperBound)"
        case .bytes(let count): "\(count) bytes"
        }
    }
}
