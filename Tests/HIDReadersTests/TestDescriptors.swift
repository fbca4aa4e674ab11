/// Report descriptors, built as the makers' manuals describe them.
enum TestDescriptors {
    /// Items of a vendor page: `(usage, bits, count)` input fields, then a feature report.
    static func vendor(
        _ fields: [(usage: UInt8, bits: UInt8, count: UInt8)], page: [UInt8] = [0x06, 0x00, 0xFF],
        reportID: UInt8? = nil, featureBytes: UInt8 = 60
    ) -> [UInt8] {
        var bytes = page + [0x09, 0x01, 0xA1, 0x01]
        if let reportID { bytes += [0x85, reportID] }
        bytes += [0x15, 0x00, 0x26, 0xFF, 0x00]
        for field in fields {
            // Big arrays are "buffered bytes": a flag in the second byte.
            bytes += [0x75, field.bits, 0x09, field.usage, 0x95, field.count, 0x82, 0x02, 0x01]
        }
        return bytes + [0x75, 0x08, 0x09, 0x20, 0x95, featureBytes, 0xB2, 0x02, 0x01, 0xC0]
    }

    /// MagneSafe V5, 856 bytes (99875475).
    static let magneSafe: [(usage: UInt8, bits: UInt8, count: UInt8)] = [
        (0x20, 8, 1), (0x21, 8, 1), (0x22, 8, 1), (0x28, 8, 1), (0x29, 8, 1), (0x2A, 8, 1), (0x38, 8, 1),
        (0x30, 8, 112), (0x31, 8, 112), (0x32, 8, 112), (0x39, 8, 1), (0x23, 32, 1), (0x2B, 8, 1),
        (0x33, 8, 128), (0x40, 8, 16), (0x42, 8, 2), (0x46, 8, 10), (0x47, 8, 1), (0x48, 8, 1), (0x49, 8, 1),
        (0x4A, 8, 112), (0x4B, 8, 112), (0x4C, 8, 112), (0x50, 8, 8), (0x51, 8, 1), (0x52, 8, 1),
        (0x53, 8, 1), (0x54, 8, 1),
    ]

    /// SureSwipe, 337 bytes (99875191).
    static let sureSwipe: [(usage: UInt8, bits: UInt8, count: UInt8)] = [
        (0x20, 8, 1), (0x21, 8, 1), (0x22, 8, 1), (0x28, 8, 1), (0x29, 8, 1), (0x2A, 8, 1), (0x38, 8, 1),
        (0x30, 8, 110), (0x31, 8, 110), (0x32, 8, 110),
    ]

    /// The USB-IF's magnetic stripe page: three lengths, three tracks.
    static let stripePage: [(usage: UInt8, bits: UInt8, count: UInt8)] = [
        (0x11, 8, 1), (0x12, 8, 1), (0x13, 8, 1), (0x21, 8, 80), (0x22, 8, 41), (0x23, 8, 108),
    ]
}
