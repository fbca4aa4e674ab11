package import ReaderKit

/// Swipes out of captures: reports, packets and streams that somebody wrote down, in whatever form. It is how
/// `swipectl decode --hid` and bug reports use the drivers' parsers.
///
/// Generous with the form a capture was written down in, strict with what it says: whatever is taken has passed the
/// same checks as a report from a device.
package enum HIDCapture {
    /// More than any session of bug hunting; the limit keeps a wrong file from taking all memory.
    package static let maximumBytes = 1 << 20

    /// What a capture may be of. The names are those of `--model`.
    package enum Model: String, Sendable, Hashable, CaseIterable {
        case magneSafe = "magtek-magnesafe"
        case sureSwipe = "magtek-sureswipe"
        case gen3 = "magtek-idynamo5-gen3"
        case magTekStream = "magtek-stream"
        case idTechReport = "idtech-hid"
        case idTechCompatible = "idtech-hid-compatible"
        case idTechPacket = "idtech-packet"
        case idTechKeyboard = "idtech-keyboard"

    }

    package struct Found: Sendable, Hashable {
        package var model: Model
        package var swipe: Swipe
        /// The reader's serial number, where the capture holds it.
        package var serial: String?
    }

    /// Why a capture, or a part of it, gave no swipe.
    package enum Refusal: Error, Sendable, Hashable {
        case empty
        case tooLarge
        /// Hex with an odd number of digits: one is missing.
        case oddHex
        /// In no form that any model has.
        case unrecognised(bytes: Int)
        /// In the form of a model, and wrong.
        case malformed(Model, String)

        package var sentence: String {
            switch self {
            case .empty: "nothing in it"
            case .tooLarge: "larger than \(HIDCapture.maximumBytes) bytes"
            case .oddHex: "hex with an odd number of digits"
            case .unrecognised(let bytes):
                "\(bytes) bytes that are no report, packet or stream of a known reader (reports have 337, 338, 509, "
                    + "512, 856, 887 or 931 bytes)"
            case .malformed(let model, let sentence): "\(model.rawValue): \(sentence)"
            }
        }
    }

    package typealias Outcome = Result<Found, Refusal>

    /// Everything in a capture, in its order.
    ///
    /// - Parameter models: what it may be of; all that are known where empty.
    package static func outcomes(in capture: [UInt8], models: [Model] = []) -> [Outcome] {
        guard capture.count <= maximumBytes else { return [.failure(.tooLarge)] }
        guard !capture.isEmpty else { return [.failure(.empty)] }
        let guesses = Set(models.isEmpty ? Model.allCases : models)
        guard CaptureText.isText(capture) else { return ByteCapture(models: guesses).outcomes(in: capture) }
        return textOutcomes(CaptureText.withoutHeader(capture), guesses)
    }

    private static func textOutcomes(_ text: [UInt8], _ models: Set<Model>) -> [Outcome] {
        guard text.contains(where: { !CaptureText.isSpace($0) }) else { return [.failure(.empty)] }
        if let reports = HIDRecording.reports(text) { return reports.flatMap { outcomes(inHex: $0, models) } }
        switch HexDump.read(text) {
        case .bytes(let blocks): return blocks.flatMap { outcomes(inHex: $0, models) }
        case .odd: return [.failure(.oddHex)]
        case .notHex: return StreamCapture(models: models).outcomes(in: text)
        }
    }

    /// Hex of text is text that somebody dumped: a stream, or what a reader typed.
    private static func outcomes(inHex bytes: [UInt8], _ models: Set<Model>) -> [Outcome] {
        guard CaptureText.isText(bytes) else { return ByteCapture(models: models).outcomes(in: bytes) }
        return StreamCapture(models: models).outcomes(in: bytes)
    }
}

/// Text in captures.
enum CaptureText {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Printable ASCII and white space, nothing else.
    static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x20..<0x7F).contains($0) || isSpace($0) }
    }

    /// Without the comment lines at the top that say where a capture is from: `# …`.
    static func withoutHeader(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        while rest.starts(with: Array("# ".utf8)) {
            guard let end = rest.firstIndex(of: 0x0A) else { return [] }
            rest = rest[(end + 1)...]
        }
        return Array(rest)
    }
}
