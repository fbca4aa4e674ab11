import ReaderPackets

extension IDTechCommand {
    /// The bytes in the frames of the feature report, the last one padded with zeros.
    func frames(length: Int) -> [[UInt8]] {
        guard length > 0 else { return [] }
        let bytes = bytes
        return stride(from: 0, to: bytes.count, by: length).map { start in
            let part = bytes[start...].prefix(length)
            return part + Array(repeating: 0, count: length - part.count)
        }
    }
}
