/// Where a reader's report descriptor says that its tracks stand (HID Point of Sale Usage Tables 1.02, section 5).
///
/// Usages 11 to 14: length of tracks 1 to 3 and of a JIS II stripe · 21 to 24: their data.
struct StripePageLayout: Sendable {
    static let usagePage: UInt16 = 0x8E
    private static let lengthUsage: UInt16 = 0x11
    private static let dataUsage: UInt16 = 0x21
    /// The number by which the JIS II stripe goes here, behind tracks 1 to 3.
    static let jisStripe = 4

    struct Stripe: Sendable {
        /// 1 to 3, or ``StripePageLayout/jisStripe``.
        var number: Int
        var reportID: UInt8
        /// Bytes of the report, its id not counted.
        var data: Range<Int>
        var length: Range<Int>?
    }

    /// In the order of their numbers.
    private(set) var stripes: [Stripe] = []
    /// The bytes of each report with a stripe.
    private(set) var lengths: [UInt8: Int] = [:]
    /// The reports with a stripe, in the order of their stripes.
    private(set) var reportIDs: [UInt8] = []
    /// Why this reader cannot be read.
    private(set) var obstacle: String?

    init(_ descriptor: ReportDescriptor?) {
        for number in 1...Self.jisStripe {
            let usage = UInt16(number - 1)
            guard let data = descriptor?.inputs(Self.usagePage, Self.dataUsage + usage).first,
                let range = data.byteRange
            else { continue }
            let length = descriptor?.inputs(Self.usagePage, Self.lengthUsage + usage).first {
                $0.reportID == data.reportID
            }
            stripes.append(
                Stripe(number: number, reportID: data.reportID, data: range, length: length?.byteRange))
            lengths[data.reportID] = descriptor?.byteLength(.input, id: data.reportID)
            if !reportIDs.contains(data.reportID) { reportIDs.append(data.reportID) }
        }
        obstacle = descriptor.flatMap(obstacle) ?? (stripes.isEmpty ? Self.noTrack : nil)
    }

    private static let noTrack =
        "its report descriptor names no track's data that begins and ends with a byte"

    /// Of reports that make a swipe together, the descriptor has to tell which these are.
    private func obstacle(_ descriptor: ReportDescriptor) -> String? {
        guard reportIDs.count > 1 else { return nil }
        let unclear = stripes.contains { stripe in
            let usage = UInt16(stripe.number - 1)
            let data = Set(descriptor.inputs(Self.usagePage, Self.dataUsage + usage).map(\.reportID))
            let length = Set(descriptor.inputs(Self.usagePage, Self.lengthUsage + usage).map(\.reportID))
            return data.count > 1 || !length.isSubset(of: data)
        }
        // A device has ids for all of its reports, or for none.
        return unclear || reportIDs.contains(0)
            ? "it sends tracks in reports of their own, and nothing says which of them are of one card" : nil
    }

    /// What a report brings, for people: `track 1, track 2`.
    func contents(of reportID: UInt8) -> String {
        stripes.filter { $0.reportID == reportID }.map {
            $0.number == Self.jisStripe ? "the JIS II stripe" : "track \($0.number)"
        }.joined(separator: ", ")
    }
}

extension ReportDescriptor {
    /// The input fields with a usage.
    func inputs(_ usagePage: UInt16, _ usage: UInt16) -> [Field] {
        fields.filter { $0.kind == .input && $0.usagePage == usagePage && $0.usage == usage }
    }
}
