/// How long a device's reports are: the part of its report descriptor that a transport needs.
///
///     short item   tttt TTss  data        tttt tag, TT type, ss size: 0, 1, 2 or 4 bytes
///     long item    1111 1110  size tag data
///
/// Source: Device Class Definition for HID 1.11, 6.2.2.
struct ReportSizes: Hashable, Sendable {
    /// `HID_MAX_BUFFER_SIZE` of the kernel.
    static let maximumBytes = 16_384
    /// Nested `Push` items; no descriptor of a reader has one.
    private static let maximumPushes = 16

    enum Kind: UInt8, Hashable, Sendable {
        case input = 8
        case output = 9
        case feature = 11
    }

    private struct Report: Hashable, Sendable {
        let kind: Kind
        let id: UInt8
    }

    private struct Globals: Sendable {
        var reportSize = 0
        var reportCount = 0
        var reportID: UInt8 = 0
    }

    /// True when every report starts with its id.
    private(set) var isNumbered = false
    private var bits: [Report: Int] = [:]

    init(descriptor: [UInt8]) {
        var globals = Globals()
        var stack: [Globals] = []
        var rest = descriptor[...]
        while let item = Self.nextItem(&rest) {
            switch (item.type, item.tag) {
            case (0, let tag): add(Kind(rawValue: tag), globals)
            case (1, 7): globals.reportSize = item.value
            case (1, 8):
                globals.reportID = UInt8(truncatingIfNeeded: item.value)
                isNumbered = true
            case (1, 9): globals.reportCount = item.value
            case (1, 10): if stack.count < Self.maximumPushes { stack.append(globals) }
            case (1, 11): globals = stack.popLast() ?? globals
            case _: break
            }
        }
    }

    /// The bytes of one report, its id not counted; nil where the descriptor has no such report.
    func bytes(_ kind: Kind, id: UInt8) -> Int? {
        bits[Report(kind: kind, id: id)].map { ($0 + 7) / 8 }
    }

    /// The bytes of the longest report of a kind, its id not counted.
    func longest(_ kind: Kind) -> Int? {
        bits.filter { $0.key.kind == kind }.values.max().map { ($0 + 7) / 8 }
    }

    private mutating func add(_ kind: Kind?, _ globals: Globals) {
        guard let kind else { return }
        let limit = Self.maximumBytes * 8
        let report = Report(kind: kind, id: globals.reportID)
        let (field, overflow) = globals.reportSize.multipliedReportingOverflow(by: globals.reportCount)
        bits[report] = min(limit, bits[report, default: 0] + (overflow ? limit : min(limit, max(0, field))))
    }

    private struct Item {
        let type: UInt8
        let tag: UInt8
        let value: Int
    }

    /// Nil at the end, and where an item is cut off.
    private static func nextItem(_ rest: inout ArraySlice<UInt8>) -> Item? {
        guard let prefix = rest.popFirst() else { return nil }
        if prefix == 0xFE {
            guard let length = rest.popFirst(), rest.count > Int(length) else { return nil }
            rest = rest.dropFirst(Int(length) + 1)
            return Item(type: 3, tag: 15, value: 0)
        }
        let size = prefix & 3 == 3 ? 4 : Int(prefix & 3)
        guard rest.count >= size else { return nil }
        let value = rest.prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(size)
        return Item(type: prefix >> 2 & 3, tag: prefix >> 4, value: value)
    }
}
