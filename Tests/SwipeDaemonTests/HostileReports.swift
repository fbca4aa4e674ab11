import CardData
import ReaderKit
import ReaderTesting

@testable import HIDReaders

/// A card's tracks in every form in which readers report them.
enum HostileReports {
    /// The form's name, and the swipes that our readers make of it.
    static func swipes(of texts: [String]) throws -> [(form: String, swipe: Swipe)] {
        var found = uncovered(texts)
        for cover in Cover.allCases {
            let shown = texts.map(cover.text)
            found += try magneSafe(shown, clear: texts).map { ("MagneSafe, \(cover)", $0) }
            found += captured(idTech(shown), [.idTechPacket]).map { ("ID TECH, \(cover)", $0) }
            found += captured(Array(gen3(shown).utf8), [.gen3]).map { ("Gen III, \(cover)", $0) }
            guard let lie = Lie(texts) else { continue }
            found += try magneSafe(shown, clear: texts, lie: lie).map {
                ("MagneSafe that lies, \(cover)", $0)
            }
            found += captured(idTech(shown, lie), [.idTechPacket]).map {
                ("ID TECH that lies, \(cover)", $0)
            }
            found += captured(Array(gen3(shown, lie).utf8), [.gen3]).map {
                ("Gen III that lies, \(cover)", $0)
            }
        }
        let stream = texts.filter { !$0.isEmpty }.joined() + "\r"
        found += captured(Array(stream.utf8), [.magTekStream]).map { ("stream", $0) }
        found += stripePage(texts).map { ("stripe page", $0) }
        return found
    }

    /// The forms in which no reader covers anything of its own: all that is masked there, we have masked.
    static func uncovered(_ texts: [String]) -> [(form: String, swipe: Swipe)] {
        let readings = texts.enumerated().map { index, text in
            TrackReading(
                track: index + 1, outcome: text.isEmpty ? .empty : .read(SensitiveText(text)))
        }
        return [("sound", Swipe(tracks: readings, card: Card.recognise(readings)))]
            + sureSwipe(texts).map { ("SureSwipe", $0) }
    }

    /// The card's digits where a reader says something of itself, its text where the ciphertext should be.
    struct Lie {
        let texts: [[UInt8]]
        /// Ten bytes, two digits in each.
        let packed: [UInt8]

        /// Nil for a card with few digits.
        init?(_ tracks: [String]) {
            texts = tracks.map { Array($0.utf8) }
            let digits =
                texts.map { $0.filter { (0x30...0x39).contains($0) } }.max { $0.count < $1.count } ?? []
            guard digits.count >= 20 else { return nil }
            packed = stride(from: 0, to: 20, by: 2).map { digits[$0] << 4 | digits[$0 + 1] & 15 }
        }

        /// A text in the place of so many bytes of ciphertext.
        func ciphertext(_ index: Int) -> [UInt8] {
            let count = (texts[index].count + 7) / 8 * 8
            return texts[index] + Array(repeating: 0, count: count - texts[index].count)
        }
    }

    /// How a reader that encrypts covers a text, or fails to.
    enum Cover: CaseIterable {
        case nothing, stars, zeros, behindTheNumber, sevenDigits

        func text(_ text: String) -> String {
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

    private static func swipes(_ actions: [DriverAction]) -> [Swipe] {
        actions.compactMap { if case .signal(.swiped(let swipe)) = $0 { swipe } else { nil } }
    }

    private static func captured(_ bytes: [UInt8], _ models: [HIDCapture.Model]) -> [Swipe] {
        HIDCapture.outcomes(in: bytes, models: models).compactMap { try? $0.get().swipe }
    }

    private static func device(_ vendor: UInt16, _ product: UInt16, _ descriptor: [UInt8] = [])
        -> DeviceIdentity
    {
        DeviceIdentity(
            readerID: "reader", bus: .usb, vendorID: vendor, productID: product, node: "/dev/hidraw0",
            reportDescriptor: descriptor)
    }

    private static func padded(_ text: String, _ count: Int) -> [UInt8] {
        Array(text.utf8.prefix(count))
            + Array(repeating: 0, count: Swift.max(count - text.utf8.count, 0))
    }

    private static func sureSwipe(_ texts: [String]) -> [Swipe] {
        var driver = SureSwipeDriver(device(0x0801, 0x0002))
        var bytes: [UInt8] = [0, 0, 0]
        bytes += texts.map { UInt8($0.utf8.count) }
        bytes.append(0)
        for text in texts { bytes += padded(text, 110) }
        return swipes(driver.receive(HIDReport(bytes: bytes)))
    }

    private static let encryptedReport = Result {
        try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
    }
    private static let clearReport = Result { try Vector("MagTek/published/v5_hid856_level2.hex").bytes() }

    /// An encrypted report of the vector with other texts, and one in clear.
    private static func magneSafe(_ shown: [String], clear: [String], lie: Lie? = nil) throws
        -> [Swipe]
    {
        try (lie == nil ? [true, false] : [true]).flatMap { isEncrypted in
            let layout: MagTekLayout = isEncrypted ? .magneSafe887 : .magneSafe856
            var bytes = try (isEncrypted ? encryptedReport : clearReport).get()
            func set(_ field: MagTekField, _ value: [UInt8]) {
                guard let range = layout[field] else { return }
                bytes.replaceSubrange(range.prefix(value.count), with: value)
            }
            for (index, track) in MagTekTrackFields.all.enumerated() {
                let text = isEncrypted ? shown[index] : clear[index]
                set(track.masked, Array(text.utf8))
                set(track.maskedLength, [UInt8(text.utf8.count)])
                set(track.clearLength, [UInt8(text.utf8.count)])
                set(track.length, [UInt8(isEncrypted ? (text.utf8.count + 7) / 8 * 8 : text.utf8.count)])
                if !isEncrypted { set(track.data, Array(text.utf8)) }
                if let lie { set(track.data, lie.ciphertext(index)) }
            }
            if let lie {
                set(.keySerialNumber, lie.packed)
                set(.session, Array(lie.packed.prefix(8)))
                set(.counter, Array(lie.packed.prefix(3)))
            }
            var driver = MagneSafeDriver(device(0x0801, 0x0011))
            return swipes(driver.receive(HIDReport(bytes: bytes)))
        }
    }

    /// An enhanced packet with masks, ciphertexts and a key's number.
    private static func idTech(_ shown: [String], _ lie: Lie? = nil) -> [UInt8] {
        let lengths = shown.map { UInt8($0.utf8.count) }
        var present: UInt8 = 0
        for index in shown.indices where !shown[index].isEmpty { present |= 1 << UInt8(index) }
        var data: [UInt8] = [0x80, present | present << 3]
        data += lengths
        data += [present, present | 0x80]
        for text in shown { data += Array(text.utf8) }
        for (index, text) in shown.enumerated() {
            data += lie?.ciphertext(index) ?? Array(repeating: 0xC1, count: (text.utf8.count + 7) / 8 * 8)
        }
        data += lie?.packed ?? [0xFF, 0xFF, 0xAB, 0xCD, 0xEF, 0xAA, 0xBB, 0xE0, 0x00, 0x01]
        let head: [UInt8] = [0x02, UInt8(data.count & 0xFF), UInt8(data.count >> 8)]
        let checks: [UInt8] = [data.reduce(0, ^), data.reduce(0, &+), 0x03]
        return head + data + checks
    }

    private static func gen3(_ shown: [String], _ lie: Lie? = nil) -> String {
        let ciphertexts = shown.enumerated().map { index, text in
            lie.map { hexadecimal($0.ciphertext(index)) }
                ?? String(repeating: "C1", count: (text.utf8.count + 7) / 8 * 8)
        }
        let key = lie.map { hexadecimal($0.packed) } ?? "FFFFABCDEFAABBE00001"
        let rest = ["A1050000", "", "", key, "FF02", "", "", "B", "", "", ""]
        let fields: [String] = ["M001"] + shown + ciphertexts + rest
        return fields.joined(separator: "|") + "\r"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().uppercased()
    }

    /// A reader by the USB-IF's stripe page: each track behind its length, all in one report.
    private static func stripePage(_ texts: [String]) -> [Swipe] {
        var descriptor: [UInt8] = [
            0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
        ]
        let fields: [(usage: UInt8, bytes: UInt8)] = [
            (0x11, 1), (0x12, 1), (0x13, 1), (0x21, 80), (0x22, 80), (0x23, 108),
        ]
        for field in fields { descriptor += [0x09, field.usage, 0x95, field.bytes, 0x82, 0x02, 0x01] }
        var driver = StripePageDriver(device(0x1234, 0x5678, descriptor + [0xC0]))
        var bytes: [UInt8] = texts.map { UInt8($0.utf8.count) }
        for (text, width) in zip(texts, [80, 80, 108]) { bytes += padded(text, width) }
        return swipes(driver.receive(HIDReport(bytes: bytes)))
    }
}
