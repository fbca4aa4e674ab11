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
        /// Whoever wrote it down left a part of it out.
        case cutShort(String)
        /// In a form that is not read.
        case notRead(String)
        /// In no form that any model has.
        case unrecognised(bytes: Int)
        /// In the form of a model, and wrong.
        case malformed(Model, String)
        /// Reports of two forms have these bytes, and say two things: what they are, and what they say.
        case twoLayouts([String])
        /// Marks that programs put into a text, or the card's own: two different tracks come of it.
        case twoTexts

        package var sentence: String {
            switch self {
            case .empty: "nothing in it"
            case .tooLarge: "larger than \(HIDCapture.maximumBytes) bytes"
            case .oddHex: "hex with an odd number of digits"
            case .cutShort(let how): "not all of it: \(how)"
            case .notRead(let sentence): sentence
            case .unrecognised(let bytes):
                "\(bytes) bytes that are not a report, packet or stream of a known reader (reports have 337, 338, 509, "
                    + "512, 856, 887 or 931 bytes)"
            case .malformed(let model, let sentence): "\(model.rawValue): \(sentence)"
            case .twoLayouts(let readings):
                "bytes that fit two layouts, in which different tracks failed, and no track that was read shows which: "
                    + readings.joined(separator: ", or ")
            case .twoTexts:
                "a track that can be read in two ways: a backslash, a quote, a plus or an '&' in it may be the card's, or be put "
                    + "there by who wrote it down; give the line as the reader sent it, or as hex"
            }
        }
    }

    package typealias Outcome = Result<Found, Refusal>

    /// What a capture was read as.
    package struct Reading: Sendable {
        /// Everything in it, in its order.
        package var outcomes: [Outcome]
        /// The form it was taken to be in; nil where it is in none of them.
        package var form: CaptureForm?
        /// The forms that were tried, and how many bytes they made of it; nil where it is plainly none of such.
        package var tried: [Attempt] = []

        package struct Attempt: Sendable, Hashable {
            package var form: CaptureForm
            package var bytes: Int?
        }

        /// `hex (855 bytes), keyboard or serial text; it is no dump with offsets, base64`
        package var triedSentence: String {
            let fitting = tried.compactMap { attempt in
                attempt.bytes.map { "\(attempt.form.name) (\($0) bytes)" }
            }
            let others = tried.filter { $0.bytes == nil }.map(\.form.name)
            return fitting.joined(separator: ", ")
                + (others.isEmpty ? "" : "; it is none of: \(others.joined(separator: ", "))")
        }
    }

    /// Everything in a capture, in its order.
    ///
    /// - Parameters:
    ///   - models: what it may be of; all that are known where empty.
    ///   - separator: what stands between the fields of a text stream (MagTek property 23); nil for `|`, or any other of which
    ///     the stream's CRC tells.
    package static func outcomes(
        in capture: [UInt8], models: [Model] = [], separator: UInt8? = nil
    ) -> [Outcome] {
        read(capture, models: models, separator: separator).outcomes
    }

    /// The parts of a text in one form, in every way to read it in that form; whatever they hold is not looked at.
    package static func parts(of text: [UInt8], as form: CaptureForm) -> [[[UInt8]]] {
        CaptureForms(text).readings(form)
    }

    /// The swipes of a text as keyboards, serial lines and iDynamos carry it.
    package static func streams(in text: [UInt8]) -> [Outcome] {
        StreamCapture(models: [.magTekStream, .gen3, .idTechKeyboard]).outcomes(in: text)
    }

    /// Reads a capture in the form in which it says most; see ``outcomes(in:models:separator:)``.
    package static func read(_ capture: [UInt8], models: [Model] = [], separator: UInt8? = nil) -> Reading {
        guard capture.count <= maximumBytes else { return Reading(outcomes: [.failure(.tooLarge)]) }
        guard !capture.isEmpty else { return Reading(outcomes: [.failure(.empty)]) }
        let guesses = Set(models.isEmpty ? Model.allCases : models)
        let guess = CaptureGuess(models: guesses, separator: separator)
        guard let text = CaptureText.text(of: capture) else { return guess.reading(ofBytes: capture) }
        guard text.contains(where: { !CaptureText.isSpace($0) }) else {
            return Reading(outcomes: [.failure(.empty)])
        }
        return guess.reading(of: CaptureForms(text))
    }
}
