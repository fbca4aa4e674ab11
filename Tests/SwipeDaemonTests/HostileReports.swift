import CardData
import ReaderKit
import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// A card's tracks in every form in which readers report them.
enum HostileReports {
    /// The form's name, and the swipes that our readers make of it.
    static func swipes(of texts: [String]) throws -> [(form: String, swipe: Swipe)] {
        var found = uncovered(texts)
        found += magneSafe(try HostileCapture.magneSafe(clear: texts)).map { ("MagneSafe in clear", $0) }
        for cover in HostileCapture.Cover.allCases {
            let shown = texts.map(cover.text)
            for (kind, lie) in [("", nil), (" that lies", HostileCapture.Lie(texts))] {
                let report = try HostileCapture.magneSafe(shown, lie)
                found += magneSafe(report).map { ("MagneSafe\(kind), \(cover)", $0) }
                let packet = HostileCapture.idTech(shown, lie)
                found += captured(packet, [.idTechPacket]).map { ("ID TECH\(kind), \(cover)", $0) }
                let text = Array(HostileCapture.gen3(shown, lie).utf8)
                found += captured(text, [.gen3]).map { ("Gen III\(kind), \(cover)", $0) }
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
        return swipes(driver.receive(HIDReport(bytes: HostileCapture.sureSwipe(texts))))
    }

    private static func magneSafe(_ report: [UInt8]) -> [Swipe] {
        var driver = MagneSafeDriver(device(0x0801, 0x0011))
        return swipes(driver.receive(HIDReport(bytes: report)))
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
