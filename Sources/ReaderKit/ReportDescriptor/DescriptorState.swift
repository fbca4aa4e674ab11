/// What items have set so far and main items use: globals hold until changed, locals until the next main item.
struct DescriptorState: Sendable {
    /// More usages than this before one main item are ignored; no reader has more fields.
    static let maximumUsages = 256

    private struct Globals: Sendable {
        var usagePage: UInt16 = 0
        var reportSize = 0
        var reportCount = 0
        var reportID: UInt8 = 0
    }

    private var globals = Globals()
    private var pushed: [Globals] = []
    /// Page in the upper half.
    private(set) var usages: [UInt32] = []
    private var usageMinimum: UInt32?
    var openCollections = 0

    var reportSize: Int { globals.reportSize }
    var reportCount: Int { globals.reportCount }
    var reportID: UInt8 { globals.reportID }

    mutating func takeGlobal(_ item: DescriptorItem) throws(ReportDescriptor.Refusal) {
        switch item.tag {
        case 0x0: globals.usagePage = UInt16(truncatingIfNeeded: item.data)
        case 0x7: globals.reportSize = Int(item.data)
        case 0x8: globals.reportID = UInt8(truncatingIfNeeded: item.data)
        case 0x9: globals.reportCount = Int(item.data)
        case 0xA:
            guard pushed.count < ReportDescriptor.maximumPushed else { throw .stackOverflow }
            pushed.append(globals)
        case 0xB:
            guard let last = pushed.popLast() else { throw .stackUnderflow }
            globals = last
        default: break
        }
        // Keeps the product of both well inside an Int.
        guard globals.reportSize <= ReportDescriptor.maximumReportBits,
            globals.reportCount <= ReportDescriptor.maximumReportBits
        else { throw .reportTooLong }
    }

    mutating func takeLocal(_ item: DescriptorItem) {
        // A usage of four bytes names its page itself.
        let usage = item.size == 4 ? item.data : UInt32(globals.usagePage) << 16 | item.data
        switch item.tag {
        case 0x0: add(usage)
        case 0x1: usageMinimum = usage
        case 0x2:
            guard let minimum = usageMinimum, minimum <= usage else { return }
            usageMinimum = nil
            for value in minimum...usage {
                guard usages.count < Self.maximumUsages else { return }
                add(value)
            }
        default: break
        }
    }

    mutating func endMainItem() {
        usages.removeAll(keepingCapacity: true)
        usageMinimum = nil
    }

    /// The usages of a main item's elements, each with how many elements it has: the last one has all that are left
    /// over. An array item is one field, whatever its usages.
    func elements(isArray: Bool) -> [(usage: UInt32, count: Int)] {
        guard reportCount > 0, reportSize > 0 else { return [] }
        let anonymous = UInt32(globals.usagePage) << 16
        guard !isArray, let last = usages.last else { return [(usages.first ?? anonymous, reportCount)] }
        let single = usages.dropLast().prefix(reportCount - 1)
        return single.map { ($0, 1) } + [
            (single.count < usages.count - 1 ? usages[single.count] : last, reportCount - single.count)
        ]
    }

    private mutating func add(_ usage: UInt32) {
        guard usages.count < Self.maximumUsages else { return }
        usages.append(usage)
    }
}
