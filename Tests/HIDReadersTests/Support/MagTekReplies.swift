import FoundationEssentials
import ReaderKit
import ReaderTesting

@testable import HIDReaders

/// A reader's answers to MagTek's questions.
enum MagTekReplies {
    static func answer(_ hex: String) throws -> HIDReport {
        let bytes = try PublishedVectors.bytes(hex)
        return HIDReport(kind: .feature, bytes: bytes + Array(repeating: 0, count: 60 - bytes.count))
    }

    static func identified(_ actions: [DriverAction]) -> ReaderDetails? {
        actions.compactMap { if case .signal(.identified(let details)) = $0 { details } else { nil } }.last
    }

    static func command(_ actions: [DriverAction]) -> [UInt8]? {
        actions.compactMap { if case .command(.feature(let bytes, _)) = $0 { bytes } else { nil } }.last
    }

    static func reply(_ actions: [DriverAction]) -> Result<PropertyValue, PropertyError>? {
        actions.compactMap { if case .signal(.property(let reply)) = $0 { reply.outcome } else { nil } }.last
    }

    /// A driver whose reader has answered what it is asked at the start.
    static func introduced(level: String = "150003") throws -> MagneSafeDriver {
        var driver = MagTekReports.magneSafe()
        _ = driver.start()
        for text in [
            "0001" + level.suffix(2), "0700", "000B3231303432383132443031", "000742303030373935", "0700",
            "0200",
        ] {
            _ = driver.receive(try answer(text))
        }
        return driver
    }
}
