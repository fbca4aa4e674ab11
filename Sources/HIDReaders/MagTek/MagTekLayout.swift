import ReaderKit

/// The fields of a MagTek swipe report, by their usage on the vendor page 0xFF00.
/// Source: MagTek 99875475 (MagneSafe V5) and 99875191 (SureSwipe); see `docs/readers.md`.
package enum MagTekField: UInt16, Sendable, Hashable, CaseIterable {
    case decodeStatus1 = 0x20
    case decodeStatus2 = 0x21
    case decodeStatus3 = 0x22
    case magnePrintStatus = 0x23
    /// Length of the encrypted track; in a SureSwipe report, of the clear one.
    case length1 = 0x28
    case length2 = 0x29
    case length3 = 0x2A
    case magnePrintLength = 0x2B
    /// The encrypted track; in a SureSwipe report, and as long as a reader has no key, the clear one.
    case data1 = 0x30
    case data2 = 0x31
    case data3 = 0x32
    case magnePrint = 0x33
    case encodeType = 0x38
    case cardStatus = 0x39
    case serial = 0x40
    case encryptionStatus = 0x42
    case keySerialNumber = 0x46
    case maskedLength1 = 0x47
    case maskedLength2 = 0x48
    case maskedLength3 = 0x49
    case masked1 = 0x4A
    case masked2 = 0x4B
    case masked3 = 0x4C
    case session = 0x50
    case clearLength1 = 0x51
    case clearLength2 = 0x52
    case clearLength3 = 0x53
    case magnePrintClearLength = 0x54
    case counter = 0x55
    case magneSafeVersion = 0x56
    case hash1 = 0x57
    case reportVersion = 0x58
    /// ASSUMPTION: the usage's number; it follows from its neighbours, no document names it.
    case hash256 = 0x59
    case magnePrintKeySerialNumber = 0x5A
    case battery = 0x5B

    static let usagePage: UInt16 = 0xFF00
    /// Behind the last usage.
    static let end = Int(MagTekField.battery.rawValue) + 1
}

/// Where the fields of a report stand.
package struct MagTekLayout: Sendable, Hashable {
    /// By the field's usage: a report is asked for some sixty fields, and a hash of each costs more than what is read there.
    private var ranges: [Range<Int>?] = Array(repeating: nil, count: MagTekField.end)
    /// The report's size in bytes, id not counted.
    package private(set) var length: Int

    subscript(field: MagTekField) -> Range<Int>? { ranges[Int(field.rawValue)] }

    /// Whether the reader can encrypt: its reports then name a key.
    package var isMagneSafe: Bool { self[.keySerialNumber] != nil }

    /// Fields one after the other.
    init(_ fields: [(MagTekField, Int)]) {
        length = 0
        for (field, size) in fields {
            ranges[Int(field.rawValue)] = length..<(length + size)
            length += size
        }
    }

    /// The layout that a device's own descriptor tells; nil where it misses what every reader has, or where a field
    /// does not begin with a byte.
    init?(_ descriptor: ReportDescriptor, reportID: UInt8) {
        guard let length = descriptor.byteLength(.input, id: reportID) else { return nil }
        self.length = length
        for field in descriptor.fields where field.kind == .input && field.reportID == reportID {
            guard field.usagePage == MagTekField.usagePage, let name = MagTekField(rawValue: field.usage)
            else {
                continue
            }
            guard let range = field.byteRange else { return nil }
            ranges[Int(field.usage)] = self[name].map { $0.lowerBound..<range.upperBound } ?? range
        }
        guard Self.required.allSatisfy({ self[$0] != nil }), hasKnownSizes else { return nil }
    }

    private static let required: [MagTekField] = [
        .decodeStatus1, .decodeStatus2, .decodeStatus3, .length1, .length2, .length3, .encodeType, .data1,
        .data2,
        .data3,
    ]

    /// Fields of which a wrong size would shift a meaning.
    private var hasKnownSizes: Bool {
        let sizes: [(MagTekField, Int)] = [
            (.encryptionStatus, 2), (.keySerialNumber, 10), (.magnePrintStatus, 4), (.counter, 3),
            (.session, 8),
        ]
        return sizes.allSatisfy { field, size in self[field].map { $0.count == size } ?? true }
    }
}
