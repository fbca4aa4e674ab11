import ReaderKit

/// A property of a MagTek reader: its name for clients, and how the reader is asked.
struct MagTekProperty: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        /// Property commands 00 and 01 with this number.
        case number(UInt8)
        case keySerialNumber, readerState, securityLevel, encryptionCounter
        /// Can only be set.
        case sessionID, reset
    }

    enum Kind: Sendable, Hashable {
        /// ASCII, so many characters at most.
        case text(Int)
        /// One byte.
        case number(ClosedRange<Int>)
        /// So many bytes.
        case bytes(Int)
    }

    var name: String
    var source: Source
    var kind: Kind
    var isWritable: Bool
    var summary: String

    var descriptor: PropertyDescriptor {
        PropertyDescriptor(name: name, summary: summary, isWritable: isWritable)
    }

    private init(_ name: String, _ source: Source, _ kind: Kind, writable: Bool = false, _ summary: String) {
        (self.name, self.source, self.kind, self.isWritable, self.summary) = (
            name, source, kind, writable, summary
        )
    }
}

extension MagTekProperty {
    /// MagneSafe V5 (99875475, "Properties"; 0x54: D998200115).
    static let magneSafe: [MagTekProperty] =
        [
            Self("software_id", .number(0x00), .text(11), "Part number and revision of the firmware"),
            Self(
                "usb_serial", .number(0x01), .text(15), writable: true, "Serial number in the USB descriptor"),
            Self(
                "polling_interval", .number(0x02), .number(1...255), writable: true,
                "USB polling interval in ms"),
            Self(
                "device_serial", .number(0x03), .text(15), writable: true,
                "Serial number; can be written once"),
            Self("magnesafe_version", .number(0x04), .text(7), "Generation of the firmware: V05"),
            Self(
                "track_enable", .number(0x05), .number(0...255), writable: true,
                "Which tracks are read, as bits"),
            Self("iso_mask", .number(0x07), .text(6), writable: true, "How ISO tracks are masked: 04040Y"),
            Self("aamva_mask", .number(0x08), .text(6), writable: true, "How licences are masked: 04040Y"),
            Self(
                "max_packet_size", .number(0x0A), .number(1...64), writable: true,
                "Bytes in an interrupt packet"),
            Self(
                "activity_timeout", .number(0x0B), .number(0...255), writable: true,
                "Seconds until wireless readers rest"),
            Self(
                "interface_type", .number(0x10), .number(0...3), writable: true,
                "0 HID, 1 keyboard, 2 UART, 3 wireless"),
            Self(
                "track_send_flags", .number(0x14), .number(0...255), writable: true,
                "How text streams are sent, as bits"),
            Self(
                "magneprint_level2", .number(0x15), .number(0...1), writable: true,
                "MagnePrint in level 2 streams"),
            Self(
                "crc_flag", .number(0x19), .number(0...255), writable: true,
                "Which check sums end text streams"),
            Self(
                "keyboard_sureswipe", .number(0x1A), .number(0...1), writable: true,
                "Short streams in level 2"),
            Self("decode_enable", .number(0x1B), .number(0...255), writable: true, "Bit 0: JIS II is read"),
            Self(
                "send_counter", .number(0x30), .number(0...1), writable: true,
                "Encryption counter in text streams"),
            Self(
                "mask_other_cards", .number(0x31), .number(0...1), writable: true,
                "Cards of unknown coding are masked"),
            Self(
                "insert_direction", .number(0x32), .number(1...3), writable: true,
                "Insert readers: 1 in, 2 out, 3 both"),
            Self("card_inserted", .number(0x33), .number(0...1), "Insert readers: a card is in"),
            Self("clear_aamva", .number(0x34), .number(0...1), writable: true, "Licences are sent in clear"),
            Self(
                "hid_sureswipe", .number(0x38), .number(0...1), writable: true, "Works as a SureSwipe reader"),
            Self(
                "track_key_variant", .number(0x54), .number(0...1), writable: true,
                "Key of the tracks: 0 PIN, 1 Data"),
        ] + commands

    /// SureSwipe (99875191): the numbers differ from those of MagneSafe.
    static let sureSwipe: [MagTekProperty] = [
        Self("software_id", .number(0x00), .text(11), "Part number and revision of the firmware"),
        Self("usb_serial", .number(0x01), .text(15), writable: true, "Serial number in the USB descriptor"),
        Self(
            "polling_interval", .number(0x02), .number(1...255), writable: true, "USB polling interval in ms"),
        Self(
            "max_packet_size", .number(0x03), .number(1...8), writable: true, "Bytes in an interrupt packet"),
        Self(
            "track_enable", .number(0x04), .number(0...255), writable: true, "Which tracks are read, as bits"),
        Self("interface_type", .number(0x10), .number(0...1), writable: true, "0 HID, 1 keyboard"),
        Self(
            "host_poll_timeout", .number(0x52), .number(0...60), writable: true,
            "Seconds a report waits for the host"),
        Self(
            "reset", .reset, .number(1...1), writable: true,
            "1 resets the reader: it leaves the bus and returns"),
    ]

    private static let commands: [MagTekProperty] = [
        Self("key_serial_number", .keySerialNumber, .bytes(10), "DUKPT key serial number"),
        Self("reader_state", .readerState, .bytes(2), "State and what led to it"),
        Self(
            "security_level", .securityLevel, .number(0...4),
            "2 clear, 3 encrypts, 4 encrypts after authentication"),
        Self("encryption_counter", .encryptionCounter, .number(0...0xFF_FFFF), "Transactions that are left"),
        Self(
            "session_id", .sessionID, .bytes(8), writable: true,
            "Encrypted into every swipe until power is lost"),
        Self(
            "reset", .reset, .number(1...1), writable: true,
            "1 resets the reader: it leaves the bus and returns"),
    ]
}
