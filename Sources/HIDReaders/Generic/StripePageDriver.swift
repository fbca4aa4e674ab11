import CardData
package import ReaderKit
import ReaderPackets

/// Readers nobody listed that speak the USB-IF's own language: the magnetic stripe usage page 0x8E
/// (``StripePageLayout``). One that sends tracks in reports of their own: ``StripeReports``.
///
/// ASSUMPTION: the data is ASCII with its sentinels, as every known reader sends it; the tables do not say.
package struct StripePageDriver: ReaderDriver {
    private let layout: StripePageLayout
    private let details: ReaderDetails
    private var reports: StripeReports

    package static let descriptor = DriverDescriptor(
        name: "hid-stripe-page", kind: "hid",
        matches: [
            DeviceMatch(
                usagePage: StripePageLayout.usagePage, model: "HID magnetic stripe reader",
                support: .shouldWork(
                    why: "names its fields by the USB-IF's usage page 0x8E; no such reader was seen"))
        ])

    package init(_ device: DeviceIdentity) {
        layout = StripePageLayout(try? ReportDescriptor(device.reportDescriptor))
        reports = StripeReports(order: layout.reportIDs)
        details = ReaderDetails(
            model: device.product ?? "HID magnetic stripe reader", serial: device.serial, encryption: .clear)
    }

    package mutating func start() -> [DriverAction] {
        if let why = layout.obstacle {
            return [.signal(.identified(details)), .signal(.activationFailed(.failed, why: why))]
        }
        return [
            .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
        ]
    }

    package mutating func receive(_ input: HIDReport) -> [DriverAction] {
        guard layout.obstacle == nil, input.kind == .input, let expected = layout.lengths[input.id] else {
            return []
        }
        let isWhole = input.bytes.count == expected
        let verdict = reports.take(input.id, isWhole ? input.bytes : nil)
        var actions: [DriverAction] = []
        if let due = verdict.due {
            let (came, due) = (layout.contents(of: input.id), layout.contents(of: due))
            actions.append(.signal(.malformed("report of \(came) where that of \(due) was due")))
        }
        if !isWhole {
            let sentence = "report of \(input.bytes.count) bytes instead of \(expected)"
            actions.append(.signal(.malformed(sentence)))
        }
        if layout.reportIDs.count > 1 {
            actions.append(verdict.isOpen ? .startTimer(StripeReports.patience) : .stopTimer)
        }
        return actions + (verdict.swipe.map { [.signal(.swiped(swipe($0)))] } ?? [])
    }

    package mutating func inputsLost() -> [DriverAction] {
        reports.lose()
        return []
    }

    package mutating func timerFired() -> [DriverAction] {
        guard let due = reports.giveUp() else { return [] }
        return [.signal(.malformed("swipe without the report of \(layout.contents(of: due))"))]
    }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }

    private func swipe(_ reports: [UInt8: [UInt8]]) -> Swipe {
        let readings = layout.stripes.compactMap { stripe in
            reports[stripe.reportID].map {
                TrackReading(track: stripe.number, outcome: Self.outcome(stripe, $0))
            }
        }
        return Self.swipe(readings)
    }

    /// A JIS II stripe lies on the other side, where track 1 would. A reader has a field for either; of most cards one of them
    /// is empty, and the other one is track 1. Of a card with both, both texts are told, and the ISO tracks say what it is.
    private static func swipe(_ readings: [TrackReading]) -> Swipe {
        var tracks = readings.filter { $0.track != StripePageLayout.jisStripe }
        guard var stripe = readings.first(where: { $0.track == StripePageLayout.jisStripe }) else {
            return Swipe(tracks: tracks, card: Card.recognise(tracks))
        }
        stripe.track = 1
        let place = tracks.firstIndex { $0.track == 1 }
        let track1 = place.map { tracks[$0] }
        if let track1, worth(track1) >= worth(stripe) {
            let card = Card.recognise(tracks)
            if let text = stripe.text, text != track1.text { tracks.insert(stripe, at: 1) }
            return Swipe(tracks: tracks, card: card)
        }
        if let place { tracks.remove(at: place) }
        tracks.insert(stripe, at: 0)
        return Swipe(tracks: tracks, card: Card.recognise(tracks))
    }

    private static func worth(_ reading: TrackReading) -> Int {
        if reading.text != nil { return 2 }
        return reading.outcome == .empty ? 0 : 1
    }

    private static func outcome(_ stripe: StripePageLayout.Stripe, _ bytes: [UInt8]) -> TrackOutcome {
        guard stripe.data.upperBound <= bytes.count else { return .refused(.malformed) }
        let data = bytes[stripe.data]
        var text = data.prefix { $0 != 0 }
        if let field = stripe.length, field.upperBound <= bytes.count, field.count <= 4 {
            let length = bytes[field].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length <= data.count else { return .refused(.malformed) }
            text = data.prefix(length)
        }
        guard let first = text.first else { return .empty }
        // What is no JIS II text in its field is none of track 1's either.
        guard stripe.number != StripePageLayout.jisStripe || first == TrackFormat.jis2.startSentinel else {
            return .refused(.malformed)
        }
        return TrackTextCheck.outcome(Array(text), track: stripe.number)
    }
}
