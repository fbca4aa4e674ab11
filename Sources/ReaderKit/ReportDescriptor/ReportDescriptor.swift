/// What a HID device says about its reports (HID 1.11, section 6.2.2): where which field stands in which report.
///
/// It comes from the device, so every length in it is checked against a limit before it is believed. The only parser of
/// descriptors: what a transport reads and what a driver makes of it cannot disagree.
package struct ReportDescriptor: Sendable, Hashable {
    /// The kernel takes no more (`HID_MAX_DESCRIPTOR_SIZE`).
    package static let maximumBytes = 4096
    package static let maximumFields = 1024
    /// The kernel's largest report (`HID_MAX_BUFFER_SIZE`).
    package static let maximumReportBytes = 16 * 1024
    package static let maximumReportBits = maximumReportBytes * 8
    package static let maximumPushed = 16
    package static let maximumCollections = 64

    package enum Kind: Sendable, Hashable { case input, output, feature }

    /// Equal elements with one usage that stand side by side.
    package struct Field: Sendable, Hashable {
        package var kind: Kind
        /// 0 where the descriptor has no report ids.
        package var reportID: UInt8
        package var usagePage: UInt16
        package var usage: UInt16
        /// From the first bit behind the report id.
        package var bitOffset: Int
        /// Bits in an element.
        package var bitSize: Int
        /// Elements.
        package var count: Int

        /// The bytes that the field covers; nil unless it begins and ends with a byte.
        package var byteRange: Range<Int>? {
            let bits = bitSize * count
            guard bitOffset.isMultiple(of: 8), bits.isMultiple(of: 8) else { return nil }
            return (bitOffset / 8)..<((bitOffset + bits) / 8)
        }
    }

    /// Why a descriptor was not accepted.
    package enum Refusal: Error, Sendable, Hashable {
        case tooLong
        /// An item's data goes over the end.
        case truncated
        case tooManyFields
        case reportTooLong
        case stackOverflow
        case stackUnderflow
        case unbalancedCollections
    }

    package private(set) var fields: [Field] = []
    /// Bits a report has, id not counted.
    private var lengths: [Report: Int] = [:]
    /// Usages of the application collections, page in the upper half.
    package private(set) var applications: [UInt32] = []

    private struct Report: Hashable {
        var kind: Kind
        var id: UInt8
    }

    /// A descriptor that says nothing: no field, no report.
    package static let empty = ReportDescriptor()

    private init() {}

    package init(_ bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.maximumBytes else { throw .tooLong }
        var reader = DescriptorItemReader(bytes: bytes)
        var state = DescriptorState()
        while let item = try reader.next() {
            switch item.type {
            case .main: try take(item, &state)
            case .global: try state.takeGlobal(item)
            case .local: state.takeLocal(item)
            case .reserved: continue
            }
        }
        guard state.openCollections == 0 else { throw .unbalancedCollections }
    }

    /// How many whole bytes a report has, id not counted; nil where there is no such report.
    package func byteLength(_ kind: Kind, id: UInt8) -> Int? {
        lengths[Report(kind: kind, id: id)].map { ($0 + 7) / 8 }
    }

    /// How many whole bytes the longest report of a kind has, id not counted; nil where there is none of that kind.
    package func longestByteLength(_ kind: Kind) -> Int? {
        lengths.filter { $0.key.kind == kind }.values.max().map { ($0 + 7) / 8 }
    }

    /// Whether every report begins with its id.
    package var isNumbered: Bool { lengths.keys.contains { $0.id != 0 } }

    /// The ids of the reports of one kind.
    package func reportIDs(_ kind: Kind) -> [UInt8] {
        lengths.keys.filter { $0.kind == kind }.map(\.id).sorted()
    }

    /// Whether an input field has this usage.
    package func hasInput(usagePage: UInt16, usage: UInt16? = nil) -> Bool {
        fields.contains {
            $0.kind == .input && $0.usagePage == usagePage && (usage == nil || $0.usage == usage)
        }
    }

    private mutating func take(_ item: DescriptorItem, _ state: inout DescriptorState) throws(Refusal) {
        defer { state.endMainItem() }
        switch item.tag {
        case 0x8: try append(.input, item, state)
        case 0x9: try append(.output, item, state)
        case 0xB: try append(.feature, item, state)
        case 0xA:
            state.openCollections += 1
            guard state.openCollections <= Self.maximumCollections else { throw .stackOverflow }
            // 1: an application collection, which says what the device is.
            if item.data == 1, let usage = state.usages.first { applications.append(usage) }
        case 0xC:
            state.openCollections -= 1
            guard state.openCollections >= 0 else { throw .unbalancedCollections }
        default: break
        }
    }

    private mutating func append(_ kind: Kind, _ item: DescriptorItem, _ state: DescriptorState)
        throws(Refusal)
    {
        let report = Report(kind: kind, id: state.reportID)
        var offset = lengths[report, default: 0]
        // No factor is above maximumReportBits (DescriptorState), so the product fits into an Int.
        let bits = state.reportSize * state.reportCount
        guard bits <= Self.maximumReportBits - offset else { throw .reportTooLong }
        lengths[report] = offset + bits
        let isConstant = item.data & 1 != 0
        guard !isConstant else { return }
        for (usage, count) in state.elements(isArray: item.data & 2 == 0) {
            guard fields.count < Self.maximumFields else { throw .tooManyFields }
            fields.append(
                Field(
                    kind: kind, reportID: state.reportID, usagePage: UInt16(truncatingIfNeeded: usage >> 16),
                    usage: UInt16(truncatingIfNeeded: usage), bitOffset: offset, bitSize: state.reportSize,
                    count: count))
            offset += state.reportSize * count
        }
    }
}
