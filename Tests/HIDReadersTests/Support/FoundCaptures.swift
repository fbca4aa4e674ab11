import CardData
import ReaderKit
import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// What is found in the bytes of a capture.
enum FoundCaptures {
    static func read(_ bytes: [UInt8], _ models: [HIDCapture.Model] = []) -> [HIDCapture.Outcome] {
        HIDCapture.outcomes(in: bytes, models: models)
    }

    static func found(_ bytes: [UInt8], _ models: [HIDCapture.Model] = []) -> [HIDCapture.Found] {
        read(bytes, models).compactMap { try? $0.get() }
    }
}
