import CardData
package import ReaderKit
import ReaderPackets

/// Readers nobody listed that speak the USB-IF's own language: the magnetic stripe usage page 0x8E (HID Point of Sale
/// Usage Tables 1.02, section 5).
///
/// Usages 11 to 14: length of tracks 1 to 3 and of a JIS II stripe · 21 to 24: their data.
/// ASSUMPTION: the data is ASCII with its sentinels, as every known reader sends it; the tables do not say.
package struct StripePageDriver: ReaderDriver {
    static let usagePage: UInt16 = 0x8E
    private static let lengthUsage: UInt16 = 0x11
    private static let dataUsage: UInt16 = 0x21
    /// Tracks 1 to 3, and the JIS II stripe as the fourth.
    private static let stripes = 4

    private struct Stripe: Sendable {
        var reportID: UInt8
        var data: Range<Int>
        var length: Range<Int>?
    }

    private let stripes: [Int: Stripe]
    private let lengths: [UInt8: Int]
    private let details: ReaderDetails

    package static let descriptor = DriverDescriptor(
        name: "hid-stripe-page", kind: "hid",
        matches: [
            DeviceMatch(
                usagePage: usagePage, model: "HID magnetic stripe reader",
                support: .shouldWork(
                    why: "names its fields by the USB-IF's usage page 0x8E; no such reader was seen"))
        ])

    package init(_ device: DeviceIdentity) {
        let descriptor = try? ReportDescriptor(device.reportDescriptor)
        var stripes: [Int: Stripe] = [:]
        var lengths: [UInt8: Int] = [:]
        for number in 0..<Self.stripes {
            let usage = UInt16(number)
            guard let data = descriptor?.input(Self.usagePage, Self.dataUsage + usage),
                let range = data.byteRange
            else { continue }
            let length = descriptor?.input(Self.usagePage, Self.lengthUsage + usage)
            stripes[number] = Stripe(
                reportID: data.reportID, data: range,
                length: length?.reportID == data.reportID ? length?.byteRange : nil)
            lengths[data.reportID] = descriptor?.byteLength(.input, id: data.reportID)
        }
        self.stripes = stripes
        self.lengths = lengths
        details = ReaderDetails(
            model: device.product ?? "HID magnetic stripe reader", serial: device.serial, encryption: .clear)
    }

    package mutating func start() -> [DriverAction] {
        if let why = obstacle {
            return [.signal(.identified(details)), .signal(.activationFailed(.failed, why: why))]
        }
        return [
            .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
        ]
    }

    /// Why this reader cannot be read.
    private var obstacle: String? {
        guard !stripes.isEmpty else {
            return "its report descriptor names no track's data that begins and ends with a byte"
        }
        // A card would be as many swipes as it has tracks.
        return lengths.count == 1
            ? nil : "it sends tracks in reports of their own, and nothing says which of them are of one card"
    }

    package mutating func receive(_ input: HIDReport) -> [DriverAction] {
        guard input.kind == .input, let expected = lengths[input.id] else { return [] }
        guard input.bytes.count == expected else {
            return [.signal(.malformed("report of \(input.bytes.count) bytes instead of \(expected)"))]
        }
        let readings = stripes.keys.sorted().compactMap { number -> TrackReading? in
            guard let stripe = stripes[number], stripe.reportID == input.id else { return nil }
            return TrackReading(track: number + 1, outcome: Self.outcome(stripe, input.bytes, number))
        }
        let tracks = Self.withStripeInPlace(readings)
        return [.signal(.swiped(Swipe(tracks: tracks, card: Card.recognise(tracks))))]
    }

    /// A JIS II stripe lies where track 1 would. A reader has a field for either; of most cards one of them is empty, and
    /// the other one is track 1. Of a card with both, track 1 counts.
    private static func withStripeInPlace(_ readings: [TrackReading]) -> [TrackReading] {
        guard let stripe = readings.first(where: { $0.track == stripes }) else { return readings }
        let track1 = readings.first { $0.track == 1 }
        let others = readings.filter { $0.track != stripes && $0.track != 1 }
        if let track1, worth(track1) >= worth(stripe) { return [track1] + others }
        return [TrackReading(track: 1, outcome: stripe.outcome)] + others
    }

    private static func worth(_ reading: TrackReading) -> Int {
        if reading.text != nil { return 2 }
        return reading.outcome == .empty ? 0 : 1
    }

    package mutating func timerFired() -> [DriverAction] { [] }
    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }

    private static func outcome(_ stripe: Stripe, _ bytes: [UInt8], _ number: Int) -> TrackOutcome {
        guard stripe.data.upperBound <= bytes.count else { return .refused(.malformed) }
        let data = bytes[stripe.data]
        var text = data.prefix { $0 != 0 }
        if let field = stripe.length, field.upperBound <= bytes.count, field.count <= 4 {
            let length = bytes[field].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length <= data.count else { return .refused(.malformed) }
            text = data.prefix(length)
        }
        return text.isEmpty ? .empty : TrackTextCheck.outcome(text, track: number + 1)
    }
}

extension ReportDescriptor {
    /// The first input field with a usage.
    func input(_ usagePage: UInt16, _ usage: UInt16) -> Field? {
        fields.first { $0.kind == .input && $0.usagePage == usagePage && $0.usage == usage }
    }
}
