package import ReaderKit

extension PropertyValue {
    /// So many bytes: as such, or as the hex that clients write them in. Nil for anything else.
    package func bytes(_ count: Int) -> [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes.count == count ? bytes : nil
        case .text(let text): HexField.bytes(Array(text.utf8)).flatMap { $0.count == count ? $0 : nil }
        case .number: nil
        }
    }
}
