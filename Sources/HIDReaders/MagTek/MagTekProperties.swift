import ReaderKit

/// The properties that clients may name. Left out: texts on displays, LED balance, seeds of keys, and numbers whose meaning
/// differs between models (0D) or is in no public document (36, 37, 39, 3B).
extension MagTekProperty {
    /// MagneSafe V5 (99875475, "Properties"; 0x54: D998200115).
    static let magneSafe: [MagTekProperty] = ofStripe + commands

    private static let ofStripe: [MagTekProperty] = [
        Self("software_id", .number(0x00), .text(11), "Part number and revision of the firmware"),
        Self("usb_serial", .number(0x01), .text(15), writable: true, "Serial number in the USB descriptor"),
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
        Self("stay_powered", .number(0x0E), .number(0...1), writable: true, "Wireless readers do not rest"),
        Self("radio_address", .number(0x0F), .text(15), writable: true, "Address of a wireless reader"),
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
            "keymap", .number(0x16), .number(0...255), writable: true,
            "Keyboard readers: which layout they type in"),
        Self(
            "alt_code", .number(0x17), .number(0...1), writable: true,
            "Keyboard readers: characters as ALT codes"),
        Self(
            "crc_flag", .number(0x19), .number(0...255), writable: true,
            "Which check sums end text streams"),
        Self(
            "keyboard_sureswipe", .number(0x1A), .number(0...1), writable: true,
            "Short streams in level 2"),
        Self("decode_enable", .number(0x1B), .number(0...255), writable: true, "Bit 0: JIS II is read"),
        Self(
            "jis_start_sentinel", .number(0x1C), .number(0...255), writable: true,
            "Streams: start of a JIS II track"),
        Self(
            "jis_end_sentinel", .number(0x1D), .number(0...255), writable: true,
            "Streams: end of a JIS II track"),
        Self("pre_card", .number(0x1E), .text(15), writable: true, "Streams: text before the card"),
        Self("post_card", .number(0x1F), .text(15), writable: true, "Streams: text after the card"),
        Self("pre_track", .number(0x20), .text(15), writable: true, "Streams: text before each track"),
        Self("post_track", .number(0x21), .text(15), writable: true, "Streams: text after each track"),
        Self(
            "terminator", .number(0x22), .number(0...255), writable: true,
            "Streams: character at the end, 13"),
        Self(
            "separator", .number(0x23), .character, writable: true,
            "Streams: character between the fields"),
        Self("track1_start", .number(0x24), .character, writable: true, "Streams: start of track 1"),
        Self("track2_start", .number(0x25), .character, writable: true, "Streams: start of track 2"),
        Self("track3_start", .number(0x26), .character, writable: true, "Streams: start of an ISO track 3"),
        Self(
            "track3_start_aamva", .number(0x27), .character, writable: true,
            "Streams: start of a licence's track 3"),
        Self(
            "track2_start_7bit", .number(0x28), .character, writable: true,
            "Streams: start of a track 2 in the coding of track 1"),
        Self(
            "track3_start_7bit", .number(0x29), .character, writable: true,
            "Streams: start of a track 3 in the coding of track 1"),
        Self("end_sentinel", .number(0x2B), .character, writable: true, "Streams: end of every track"),
        Self("format_code", .number(0x2C), .text(4), writable: true, "Streams: four characters at the end"),
        Self(
            "track1_end", .number(0x2D), .number(0...255), writable: true,
            "Streams: end of track 1; 255: end_sentinel"),
        Self(
            "track2_end", .number(0x2E), .number(0...255), writable: true,
            "Streams: end of track 2; 255: end_sentinel"),
        Self(
            "track3_end", .number(0x2F), .number(0...255), writable: true,
            "Streams: end of track 3; 255: end_sentinel"),
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
        Self("hid_sureswipe", .number(0x38), .number(0...1), writable: true, "Works as a SureSwipe reader"),
        Self("software_id_2", .number(0x3A), .text(15), "Firmware of the wireless part"),
        Self(
            "accessory_protocol", .number(0x51), .text(57), writable: true,
            "iDynamo: protocol name for the telephone"),
        Self(
            "key_delay", .number(0x53), .number(0...255), writable: true,
            "Keyboard readers: pause between keys"),
        Self(
            "track_key_variant", .number(0x54), .number(0...1), writable: true,
            "Key of the tracks: 0 PIN, 1 Data"),
    ]

    /// SureSwipe (99875191): the numbers differ from those of MagneSafe.
    static let sureSwipe: [MagTekProperty] = [
        Self("software_id", .number(0x00), .text(11), "Part number and revision of the firmware"),
        Self("usb_serial", .number(0x01), .text(15), writable: true, "Serial number in the USB descriptor"),
        Self(
            "polling_interval", .number(0x02), .number(1...255), writable: true,
            "USB polling interval in ms"),
        Self(
            "max_packet_size", .number(0x03), .number(1...8), writable: true,
            "Bytes in an interrupt packet"),
        Self(
            "track_enable", .number(0x04), .number(0...255), writable: true,
            "Which tracks are read, as bits"),
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
        Self("reader_state", .readerState, .readerState, "State, and what led to it"),
        Self(
            "security_level", .securityLevel, .number(0...4),
            "2 clear, 3 encrypts, 4 encrypts after authentication"),
        Self(
            "encryption_counter", .encryptionCounter, .number(0...0xFF_FFFF),
            "Transactions that are left; 16777215: not counted"),
        Self("battery", .battery, .number(0...1), "Wireless readers: 0 low, 1 good"),
        Self(
            "session_id", .sessionID, .bytes(8), writable: true,
            "Encrypted into every swipe until power is lost"),
        Self(
            "clock", .clock, .dateAndTime, writable: true,
            "EMV family: date and time, 2026-01-31 09:30:00"),
        Self(
            "reset", .reset, .number(1...1), writable: true,
            "1 resets the reader: it leaves the bus and returns"),
    ]
}
