import CardData
import ReaderKit
import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// Streams of MagTek's third generation.
enum Gen3Texts {
    /// Built from the field list; no capture exists.
    static let text =
        "M001|%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?|;5452000000007189=080400000000000000?||"
        + "40411D405D7DEDB9|9E7D777488B821C5||A1050000|0102030405060708|0000000000000000|FFFF9876543210E00008|FF02|||"
        + "B000795|2002|04|01020304\r"

    static func packets(_ text: String, size: Int = 56) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { start in
            let part = bytes[start...].prefix(size)
            let header = [
                part.count + 6, start >> 8, start & 0xFF, 0, 1, bytes.count >> 8, bytes.count & 0xFF,
            ].map { UInt8($0) }
            return header + part + Array(repeating: 0, count: size - part.count)
        }
    }
}
