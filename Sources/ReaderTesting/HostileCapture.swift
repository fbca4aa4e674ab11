/// A card's tracks in a form in which readers report them: bytes for a driver, files for `swipectl decode`.
package struct HostileCapture: Sendable {
    /// What it is, for a failing test's message.
    package let form: String
    /// What `decode` is told of it.
    package let options: [String]
    package let content: [UInt8]

    /// Every form that fits the card.
    package static func all(of texts: [String]) throws -> [HostileCapture] {
        let stream = Array((texts.joined() + "\r").utf8)
        var found: [(String, [UInt8])] = [
            ("keyboard", stream), ("keyboard-utf16", [0xFF, 0xFE] + stream.flatMap { [$0, 0] }),
            ("sureswipe", hex([sureSwipe(texts)])), ("insert", hex([sureSwipe(texts) + [0]])),
            ("v5-clear", hex([try magneSafe(clear: texts)])),
        ]
        for cover in Cover.allCases {
            let shown = texts.map(cover.text)
            for (kind, lie) in [("", nil), ("-lies", Lie(texts))] {
                let form = "\(cover)\(kind)".lowercased()
                found.append(("v5-\(form)", hex([try magneSafe(shown, lie)])))
                found.append(("idtech-\(form)", hex([idTech(shown, lie)])))
                found.append(("gen3-\(form)", Array(gen3(shown, lie).utf8)))
            }
        }
        return found.map { HostileCapture(form: $0, options: ["--hid"], content: $1) } + lines(texts)
    }

    /// What readers on a line send, and encoders.
    private static func lines(_ texts: [String]) -> [HostileCapture] {
        let text = Array(texts.joined(separator: "\r").utf8)
        var found = [("text-line", text + [0x0D]), ("spectrum3-line", hex([spectrum(text)]))]
        if text.count <= 250 { found.append(("mrs100-line", hex([mrs100(text)]))) }
        if let block = try? encoder(texts) {
            found += [("msr-line", hex([block])), ("msr605x", hex(EncoderReports.reports(of: block)))]
        }
        return found.map { HostileCapture(form: $0, options: ["--serial", $0], content: $1) }
    }

    private static func hex(_ reports: [[UInt8]]) -> [UInt8] {
        Array(reports.map { Hex.text($0) + "\n" }.joined().utf8)
    }

    // MARK: - How a reader covers

    /// The card's digits where a reader says something of itself, its text where the ciphertext should be.
    package struct Lie: Sendable {
        package let texts: [[UInt8]]
        /// Ten bytes, two digits in each.
        package let packed: [UInt8]

        /// Nil for a card with few digits.
        package init?(_ tracks: [String]) {
            texts = tracks.map { Array($0.utf8) }
            let digits =
                texts.map { $0.filter { (0x30...0x39).contains($0) } }.max { $0.count < $1.count } ?? []
            guard digits.count >= 20 else { return nil }
            packed = stride(from: 0, to: 20, by: 2).map { digits[$0] << 4 | digits[$0 + 1] & 15 }
        }

        /// A text in the place of so many bytes of ciphertext.
        package func ciphertext(_ index: Int) -> [UInt8] {
            texts[index] + Array(repeating: 0, count: blocks(texts[index].count) - texts[index].count)
        }
    }

    /// How a reader that encrypts covers a text, or fails to.
    package enum Cover: CaseIterable, Sendable {
        case nothing, stars, zeros, behindTheNumber, sevenDigits

        package func text(_ text: String) -> String {
            var bytes = Array(text.utf8)
            let frame = Array("%;?^=".utf8)
            let end = bytes.firstIndex { $0 == 0x5E || $0 == 0x3D } ?? bytes.count
            let start = Swift.min(bytes.first == 0x25 ? 2 : 1, end)
            let name =
                bytes.first == 0x25 && end < bytes.count
                ? end..<(bytes[(end + 1)...].firstIndex(of: 0x5E) ?? bytes.count) : 0..<0
            for place in bytes.indices
            where !frame.contains(bytes[place]) && !name.contains(place) && place >= start {
                let isEnd = place < start + 4 || (end - 4..<end).contains(place)
                switch self {
                case .nothing: break
                case .stars: if !isEnd { bytes[place] = 0x2A }
                case .zeros: if !isEnd { bytes[place] = 0x30 }
                case .behindTheNumber: if !isEnd, place < end { bytes[place] = 0x30 }
                case .sevenDigits:
                    if place >= start + 7, !(end - 4..<end).contains(place) { bytes[place] = 0x30 }
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Bytes of whole blocks of eight.
    private static func blocks(_ count: Int) -> Int { (count + 7) / 8 * 8 }

    // MARK: - Reports

    private static func padded(_ text: String, _ count: Int) -> [UInt8] {
        Array(text.utf8.prefix(count))
            + Array(repeating: 0, count: Swift.max(count - text.utf8.count, 0))
    }

    /// A SureSwipe report (99875191), without its id.
    package static func sureSwipe(_ texts: [String]) -> [UInt8] {
        [0, 0, 0] + texts.map { UInt8(clamping: $0.utf8.count) } + [0] + texts.flatMap { padded($0, 110) }
    }

    private static let encryptedReport = Result {
        try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
    }
    private static let clearReport = Result { try Vector("MagTek/published/v5_hid856_level2.hex").bytes() }

    /// Where fields of a MagneSafe report stand (99875475).
    private enum Place {
        static let lengths = 3, data = 7, key = 495, maskedLengths = 505, masked = 508, session = 844
        static let clearLengths = 852, counter = 856, trackBytes = 112
    }

    /// An encrypted report of the vector (887 bytes) with other texts.
    package static func magneSafe(_ shown: [String], _ lie: Lie? = nil) throws -> [UInt8] {
        var bytes = try encryptedReport.get()
        func set(_ place: Int, _ value: [UInt8]) {
            bytes.replaceSubrange(place..<(place + value.count), with: value)
        }
        for (index, text) in shown.enumerated() {
            let count = text.utf8.count
            set(Place.lengths + index, [UInt8(clamping: blocks(count))])
            set(Place.maskedLengths + index, [UInt8(clamping: count)])
            set(Place.clearLengths + index, [UInt8(clamping: count)])
            set(Place.masked + index * Place.trackBytes, padded(text, Place.trackBytes))
            if let lie {
                set(
                    Place.data + index * Place.trackBytes,
                    Array(lie.ciphertext(index).prefix(Place.trackBytes)))
            }
        }
        guard let lie else { return bytes }
        set(Place.key, lie.packed)
        set(Place.session, Array(lie.packed.prefix(8)))
        set(Place.counter, Array(lie.packed.prefix(3)))
        return bytes
    }

    /// The report (856 bytes) of a reader that has no key, with other texts.
    package static func magneSafe(clear texts: [String]) throws -> [UInt8] {
        var bytes = try clearReport.get()
        for (index, text) in texts.enumerated() {
            for lengths in [Place.lengths, Place.maskedLengths, Place.clearLengths] {
                bytes[lengths + index] = UInt8(clamping: text.utf8.count)
            }
            for fields in [Place.data, Place.masked] {
                let place = fields + index * Place.trackBytes
                bytes.replaceSubrange(
                    place..<(place + Place.trackBytes), with: padded(text, Place.trackBytes))
            }
        }
        return bytes
    }

    /// An enhanced packet with masks, ciphertexts and a key's number.
    package static func idTech(_ shown: [String], _ lie: Lie? = nil) -> [UInt8] {
        let lengths = shown.map { UInt8(clamping: $0.utf8.count) }
        var present: UInt8 = 0
        for index in shown.indices where !shown[index].isEmpty { present |= 1 << UInt8(index) }
        var data: [UInt8] = [0x80, present | present << 3]
        data += lengths
        data += [present, present | 0x80]
        for text in shown { data += Array(text.utf8) }
        for (index, text) in shown.enumerated() {
            data += lie?.ciphertext(index) ?? Array(repeating: 0xC1, count: blocks(text.utf8.count))
        }
        data += lie?.packed ?? [0xFF, 0xFF, 0xAB, 0xCD, 0xEF, 0xAA, 0xBB, 0xE0, 0x00, 0x01]
        let head: [UInt8] = [0x02, UInt8(data.count & 0xFF), UInt8(data.count >> 8)]
        let checks: [UInt8] = [data.reduce(0, ^), data.reduce(0, &+), 0x03]
        return head + data + checks
    }

    package static func gen3(_ shown: [String], _ lie: Lie? = nil) -> String {
        let ciphertexts = shown.enumerated().map { index, text in
            lie.map { Hex.text($0.ciphertext(index)) }
                ?? String(repeating: "C1", count: blocks(text.utf8.count))
        }
        let key = lie.map { Hex.text($0.packed) } ?? "FFFFABCDEFAABBE00001"
        let rest = ["A1050000", "", "", key, "FF02", "", "", "B", "", "", ""]
        let fields: [String] = ["M001"] + shown + ciphertexts + rest
        return fields.joined(separator: "|") + "\r"
    }

    // MARK: - Lines

    private static func mrs100(_ text: [UInt8]) -> [UInt8] {
        let body = [UInt8(clamping: text.count + 3), 0x33, 0x30, UInt8(ascii: "Y")] + text
        return [0x02] + body + [0x03, body.reduce(0x03, ^)]
    }

    private static func spectrum(_ text: [UInt8]) -> [UInt8] {
        let data = [0x50, 0x1E] + text
        let frame = [0x60, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
        return frame + [frame.reduce(0, ^), 0x03]
    }

    /// The raw block of a card that passes an encoder's head.
    private static func encoder(_ texts: [String]) throws -> [UInt8] {
        var encoder = EncoderSimulator()
        _ = encoder.receive([0x1B, 0x6D])
        return encoder.swipe(try EncodedCard(texts.map { $0.isEmpty ? nil : $0 }).stripes)
    }
}
