/// The bytes of an encoder in the reports of an MSR605X, and out of them, as open clients describe them.
package enum EncoderReports {
    /// Reports of 64 bytes: the head (first, last, bytes used), the payload, and old memory behind it.
    package static func reports(of message: [UInt8], memory: UInt8 = 0xA5) -> [[UInt8]] {
        let parts = stride(from: 0, to: max(message.count, 1), by: 63).map {
            Array(message[min($0, message.count)...].prefix(63))
        }
        return parts.enumerated().map { index, part in
            let head =
                (index == 0 ? 0x80 : 0) | (index == parts.count - 1 ? 0x40 : 0) | UInt8(part.count)
            return [head] + part + Array(repeating: memory, count: 63 - part.count)
        }
    }

    /// What a report from the host holds.
    package static func payload(of report: [UInt8]) -> [UInt8] {
        guard let head = report.first else { return [] }
        return Array(report.dropFirst().prefix(Int(head & 0x3F)))
    }
}
