import ReaderPackets

/// The settings by the SecureMag manual 80096504-001 ("Function ids", pages 19 to 21, 65 and 66), the sentinels by the
/// MS246 manual (the same reader, page 53).
///
/// Left out: key loading (AB to AD, 46), for this daemon holds no keys; data editing (FA to FD) and the pages of which only
/// numbers are known; the level of security, which can only be raised and never lowered again; the serial number's
/// writing, which is done once by the maker; 41, the speed of a serial line; 4D, 50 and 51, which make a reader keep its
/// swipes until somebody asks for them: then none would be told, and the answer to a property would hold a card.
extension IDTechProperty {
    static let all: [IDTechProperty] = [
        facts, reading, masking, packets, texts, prefixes, suffixes, sentinels, ends, errors, jisSentinels,
        actions,
    ].flatMap(\.self)

    private static func eachTrack(_ make: (UInt8) -> IDTechProperty) -> [IDTechProperty] {
        (UInt8(1)...3).map(make)
    }

    private static let facts: [IDTechProperty] = [
        Self(
            "firmware", IDTechCommand.firmwareID, .text(64), writable: false,
            "Name and version of the firmware"),
        Self("version", 0x39, .notice, writable: false, "Name and version by the command for it"),
        Self("copyright", 0x38, .notice, writable: false, "The maker's notice"),
        Self("serial", 0x4E, .text(16), writable: false, "Serial number"),
        Self(
            "security_level", 0x7E, .choice("01234"), writable: false,
            "0 exhausted, 1 none, 2 key, 3 encrypts, 4 authenticates"),
        Self(
            "key_serial_number", 0x51, .bytes(10), writable: false,
            "DUKPT key serial number of the next swipe"),
        Self(
            "firmware_options", 0x77, .number(0...255), writable: false,
            "How the maker configured the firmware"),
        Self(
            "all_settings", IDTechCommand.allSettingsID, .settings, writable: false,
            "All settings: number, length and value of each"),
    ]

    private static let reading: [IDTechProperty] = [
        Self("reading", 0x1A, .choice("01"), "0 off, 1 on"),
        Self(
            "beep", 0x11, .choice("01234"),
            "0 off; loud: 1 low, 2 high; quiet: 3 high, 4 low"),
        Self("track_selection", 0x13, .choice("0123456789"), "Which tracks are read and required"),
        Self("decode_direction", 0x1D, .choice("0123"), "0 raw, 1 both ways, 2 and 3 one way"),
        Self("sync_check", 0x7B, .choice("012"), "0 strict, 1 or a right LRC, 2 shorter clock runs"),
        Self("lifted_swipe", 0xAF, .number(0...255), "What is sent of a lifted card; 1: in clear"),
    ]

    private static let masking: [IDTechProperty] = [
        Self("key_management", 0x58, .choice("01"), "0 fixed key, 1 DUKPT"),
        Self("encryption", 0x4C, .choice("012"), "0 none, 1 TDES, 2 AES"),
        Self("shown_digits_start", 0x49, .number(0...6), "Digits of the account number left at its start"),
        Self("shown_digits_end", 0x4A, .number(0...4), "Digits of the account number left at its end"),
        Self("mask_character", 0x4B, .character, "Character that masks"),
        Self("show_expiry", 0x50, .choice("01"), "The expiry date is shown"),
        Self("hash_tracks", 0x5C, .choice("01234567"), "Tracks with a hash, as bits"),
        Self("send_lrc", 0x6F, .choice("01"), "Encrypted tracks end with their LRC"),
        Self("session_id", 0x54, .bytes(8), "Encrypted into every swipe at level 4"),
    ]

    private static let packets: [IDTechProperty] = [
        Self(
            "force_encryption", 0x84, .number(0...31),
            "As bits: tracks that are always encrypted, track 3 of bank cards, new masks"),
        Self("packet_structure", 0x85, .choice("01"), "0 original, 1 enhanced"),
        Self("masked_tracks", 0x86, .number(0...7), "Tracks that are sent masked, as bits"),
        Self("keyed_format", 0x88, .number(0...255), "SecureKey: form of keyed cards"),
        Self(
            "keyed_expiry_offset", 0x89, .number(0...255),
            "SecureKey: where the expiry date stands on track 3"),
        Self("keyed_structure", 0x8F, .number(0...255), "SecureKey: structure of keyed cards' packets"),
        Self("usb_options", 0xAE, .number(0...255), "Bit 4: serial number in the USB descriptor"),
    ]

    private static let texts: [IDTechProperty] = [
        Self("terminator", 0x21, .number(0...255), "Character after a swipe in clear; 48: CR LF"),
        Self("preamble", 0xD2, .countedText(15), "Text before a swipe in clear"),
        Self("postamble", 0xD3, .countedText(15), "Text after a swipe in clear"),
        Self("swap_tracks", 0x3D, .number(0...255), "Tracks 1 and 3 change places"),
    ]

    private static let prefixes = eachTrack {
        Self("track\($0)_prefix", 0x33 + $0, .countedText(6), "Text before track \($0)")
    }

    private static let suffixes = eachTrack {
        Self("track\($0)_suffix", 0x36 + $0, .countedText(6), "Text after track \($0)")
    }

    /// Track, bits of a character, id.
    private static let startIDs: [(UInt8, UInt8, UInt8)] = [
        (1, 7, 0x61), (1, 6, 0x62), (1, 5, 0x63), (2, 7, 0x64), (2, 5, 0x65), (3, 7, 0x66), (3, 6, 0x67),
        (3, 5, 0x68),
    ]

    private static let sentinels: [IDTechProperty] = startIDs.map { track, bits, id in
        Self(
            "track\(track)_start_\(bits)bit", id, .character,
            "Start of a track \(track) in \(bits)-bit code")
    }

    private static let ends = eachTrack {
        Self("track\($0)_end", 0x68 + $0, .character, "End of track \($0)")
    }

    private static let errors = eachTrack {
        Self("track\($0)_error", 0x6B + $0, .character, "Start of a track \($0) that was not read")
    }

    private static let jisSentinels: [IDTechProperty] = [
        Self("jis_sentinel", 0x72, .number(0...127), "Start and end of a JIS track 1 or 2: 0 or 127"),
        Self("jis_track3_sentinel", 0x73, .number(0...127), "Start and end of a JIS track 3: 0 or 127"),
    ]

    private static let actions: [IDTechProperty] = [
        Self(
            "defaults", 0x18, .action(.setDefaults),
            "1 puts back the maker's settings, but for those of security"),
        Self("reset", 0x49, .action(.reset), "1 resets the reader"),
    ]
}
