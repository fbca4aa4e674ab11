import ReaderKit

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
        var unread: [(number: Int, reportID: UInt8)] = []
        for number in 1...Self.jisStripe {
            let usage = UInt16(number - 1)
            let fields = descriptor?.inputs(Self.usagePage, Self.dataUsage + usage) ?? []
            guard let data = fields.first else { continue }
            guard let range = data.byteRange else {
                unread.append((number, data.reportID))
                continue
            }
            let length = descriptor?.inputs(Self.usagePage, Self.lengthUsage + usage).first {
                $0.reportID == data.reportID
            }
            stripes.append(
                Stripe(number: number, reportID: data.reportID, data: range, length: length?.byteRange))
            lengths[data.reportID] = descriptor?.byteLength(.input, id: data.reportID)
            if !reportIDs.contains(data.reportID) { reportIDs.append(data.reportID) }
        }
        obstacle =
            stripes.isEmpty ? Self.noTrack : lack(of: unread) ?? descriptor.flatMap { ambiguity(of: $0) }
    }

    private static let noTrack =
        "its report descriptor names no track's data that begins and ends with a byte"

    /// A swipe of several reports is told as whole, which one without a track that the reader has is not. Where all tracks
    /// stand in one report, those that can be read are told.
    private func lack(of unread: [(number: Int, reportID: UInt8)]) -> String? {
        guard !unread.isEmpty, Set(reportIDs + unread.map { $0.reportID }).count > 1 else { return nil }
        let names = unread.map { Self.name($0.number) }.joined(separator: ", ")
        return "it sends tracks in reports of their own, and \(names) does not begin and end with a byte"
    }

    /// Of reports that make a swipe together, the descriptor has to tell which these are.
    private func ambiguity(of descriptor: ReportDescriptor) -> String? {
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
        stripes.filter { $0.reportID == reportID }.map { Self.name($0.number) }.joined(separator: ", ")
    }

    private static func name(_ number: Int) -> String {
        number == jisStripe ? "the JIS II stripe" : "track \(number)"
    }
}

extension ReportDescriptor {
    /// The input fields with a usage.
    func inputs(_ usagePage: UInt16, _ usage: UInt16) -> [Field] {
        fields.filter { $0.kind == .input && $0.usagePage == usagePage && $0.usage == usage }
    }
}
