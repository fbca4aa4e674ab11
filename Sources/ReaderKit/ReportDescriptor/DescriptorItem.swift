/// One item of a report descriptor.
///
///     short   TTTTYYSS [data: 0, 1, 2 or 4 bytes, low byte first]
///     long    11111110 size tag data…                               none is defined; skipped
///
/// T: tag · Y: type (main, global, local) · S: size of the data, 3 meaning 4
struct DescriptorItem: Sendable {
    enum Kind: Sendable { case main, global, local, reserved }

    var type: Kind
    var tag: UInt8
    var data: UInt32
    /// Bytes of data.
    var size: Int
}

/// Takes a descriptor apart.
struct DescriptorItemReader: Sendable {
    private static let longItem: UInt8 = 0xFE

    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() throws(ReportDescriptor.Refusal) -> DescriptorItem? {
        guard position < bytes.count else { return nil }
        let prefix = bytes[position]
        position += 1
        if prefix == Self.longItem { return try skipLongItem() }
        let size = prefix & 3 == 3 ? 4 : Int(prefix & 3)
        guard bytes.count - position >= size else { throw .truncated }
        var data: UInt32 = 0
        for index in 0..<size { data |= UInt32(bytes[position + index]) << (8 * UInt32(index)) }
        position += size
        return DescriptorItem(type: Self.kind(prefix), tag: prefix >> 4, data: data, size: size)
    }

    private mutating func skipLongItem() throws(ReportDescriptor.Refusal) -> DescriptorItem {
        guard bytes.count - position >= 2, bytes.count - position - 2 >= Int(bytes[position]) else {
            throw .truncated
        }
        position += 2 + Int(bytes[position])
        return DescriptorItem(type: .reserved, tag: 0, data: 0, size: 0)
    }

    private static func kind(_ prefix: UInt8) -> DescriptorItem.Kind {
        switch (prefix >> 2) & 3 {
        case 0: .main
        case 1: .global
        case 2: .local
        default: .reserved
        }
    }
}
