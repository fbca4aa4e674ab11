import Captures
package import CardData
package import ReaderKit
package import SwipeProtocol

/// What came from a reader, a line for each report, and a line in front that says of which. Of a line a report is what came at once; of a
/// sound input a block of samples, or, of shapes, a swipe.
///
/// A recording has shapes unless a test card was swiped: when each report came, how long it is, and of a swipe that the report holds
/// how long each track is and whether it was read. Swipes that differ in their characters alone have the same shapes. Of keys see
/// ``KeyShapes``.
package struct ReaderRecording: Sendable, Equatable {
    package enum Content: String, Sendable, CaseIterable {
        case shapes
        /// Every byte, of a card that is nobody's.
        case testCard = "test-card"
    }

    /// Of which reader. No serial number: it would name its owner.
    package struct Head: Sendable, Equatable {
        /// `0801:0011`, or ``sound`` or ``line``.
        package var ids: String
        package var product: String
        package var descriptor: [UInt8]
        package var content: Content
        /// Samples a second, of a sound input: signed, of 16 bits, the lower byte first.
        package var rate: Int?
        /// The name of the driver, of a line.
        package var type: String?
        /// What an encoder was asked for.
        package var reading: EncoderReading?

        package static let soundInput = "sound"
        package static let serialLine = "line"

        package static func sound(rate: Int, _ content: Content) -> Head {
            var head = Head(ids: soundInput, product: "", descriptor: [], content: content)
            head.rate = rate
            return head
        }

        package static func line(type: String, _ content: Content) -> Head {
            var head = Head(ids: serialLine, product: "", descriptor: [], content: content)
            head.type = type
            return head
        }

        package init(ids: String, product: String, descriptor: [UInt8], content: Content) {
            self.ids = ids
            self.product = product
            self.descriptor = descriptor
            self.content = content
        }
    }

    package struct Report: Sendable, Equatable {
        /// Since the recording began, in microseconds.
        package var time: Int
        package var length: Int
        /// Nil of a shape.
        package var bytes: [UInt8]?
        /// Of a shape: the tracks of the swipe that was in the report.
        package var tracks: [TrackShape] = []
        /// Of a swipe at a sound input: its highest sample, in whole decibels of full scale.
        package var peak: Int?

        package init(
            time: Int, length: Int, bytes: [UInt8]? = nil, tracks: [TrackShape] = [], peak: Int? = nil
        ) {
            self.time = time
            self.length = length
            self.bytes = bytes
            self.tracks = tracks
            self.peak = peak
        }
    }

    /// What is written down of a track: no character of it.
    package struct TrackShape: Sendable, Equatable {
        var track: Int
        /// `read`, or why it was not.
        var result: String
        var characters: Int
    }

    /// Why a file is no recording; the words are for people.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package var line: Int
        package var reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    package static let form = "swiped recording 1"
    package static let maximumBytes = 16_777_216
    /// Of the largest report.
    package static let longestLine = 40_000
    /// The kernel's HID_MAX_BUFFER_SIZE.
    private static let maximumReport = 16_384
    private static let longestResult = 32
    /// Bytes of the sound of one: four seconds, at the highest rate.
    private static let longestSwipe = 4_000_000

    package var head: Head
    package var reports: [Report]
}

// MARK: Writing

extension ReaderRecording {
    package static func line(_ head: Head) -> EncodedLine {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("recording", form)
        writer.field("content", head.content.rawValue)
        writer.field("device", head.ids)
        writer.field("product", head.product)
        writer.field("descriptor", hexadecimal(head.descriptor))
        if let rate = head.rate { writer.field("rate", rate) }
        if let type = head.type { writer.field("type", type) }
        if let reading = head.reading { writer.field("reading", reading.rawValue) }
        writer.endObject()
        return writer.finish()
    }

    /// - Parameter time: since the recording began, in microseconds.
    package static func line(_ bytes: [UInt8], at time: Int, _ content: Content) -> EncodedLine {
        line(report(bytes, at: time, content))
    }

    /// What is written down of a HID report.
    package static func report(_ bytes: [UInt8], at time: Int, _ content: Content) -> Report {
        switch content {
        case .testCard: Report(time: time, length: bytes.count, bytes: bytes)
        case .shapes: Report(time: time, length: bytes.count, tracks: tracks(of: bytes))
        }
    }

    /// The same of what a driver was given, and the swipes that it ended.
    package static func report(
        _ bytes: [UInt8], with swipes: [Swipe], at time: Int, _ content: Content
    ) -> Report {
        switch content {
        case .testCard: Report(time: time, length: bytes.count, bytes: bytes)
        case .shapes:
            Report(time: time, length: bytes.count, tracks: swipes.flatMap { shapes(of: $0.tracks) })
        }
    }

    package static func line(_ report: Report) -> EncodedLine {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("at_us", report.time)
        writer.field("bytes", report.length)
        if let bytes = report.bytes {
            writer.field("report", hexadecimal(bytes))
        } else {
            writer.name("tracks")
            writer.beginArray()
            for track in report.tracks {
                writer.beginObject()
                writer.field("track", track.track)
                writer.field("result", track.result)
                writer.field("characters", track.characters)
                writer.endObject()
            }
            writer.endArray()
            if let peak = report.peak { writer.field("peak_db", peak) }
        }
        writer.endObject()
        return writer.finish()
    }

    /// What the drivers read in a report, without a character of it.
    private static func tracks(of report: [UInt8]) -> [TrackShape] {
        let reading = HIDCapture.read(Array(hexadecimal(report).utf8))
        return shapes(
            of: reading.outcomes.flatMap { outcome -> [TrackReading] in
                if case .success(let found) = outcome { found.swipe.tracks } else { [] }
            })
    }

    package static func shapes(of tracks: [TrackReading]) -> [TrackShape] {
        tracks.map {
            TrackShape(track: $0.track, result: word($0.outcome), characters: $0.text?.count ?? 0)
        }
    }

    private static func word(_ outcome: TrackOutcome) -> String {
        switch outcome {
        case .read: "read"
        case .repaired: "repaired"
        case .encrypted: "encrypted"
        case .empty: "empty"
        case .refused(let refusal): refusal.code
        }
    }

    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

// MARK: Reading

extension ReaderRecording {
    package init(_ text: [UInt8]) throws(Fault) {
        let lines = text.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first else { throw Fault(line: 1, reason: "the file is empty") }
        head = try Self.head(Array(first))
        reports = []
        for (index, line) in lines.enumerated().dropFirst() {
            let report = try Self.report(Array(line), head.content, line: index + 1)
            guard report.time >= reports.last?.time ?? 0 else {
                throw Fault(line: index + 1, reason: "its time is before that of the line before")
            }
            reports.append(report)
        }
    }

    private static func object(_ line: [UInt8], _ number: Int) throws(Fault) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.value(of: line) } catch {
            throw Fault(line: number, reason: "\(error)")
        }
        guard let object = value.object else { throw Fault(line: number, reason: "not an object") }
        return object
    }

    private static func head(_ line: [UInt8]) throws(Fault) -> Head {
        let object: JSONObject
        do throws(Fault) { object = try self.object(line, 1) } catch {
            throw Fault(line: 1, reason: "this is no recording that swipectl made")
        }
        guard object["recording"]?.string == form,
            let content = object["content"]?.string.flatMap(Content.init(rawValue:)),
            let ids = object["device"]?.string, isDevice(ids),
            let descriptor = object["descriptor"]?.string.flatMap(bytes(ofHexadecimal:))
        else { throw Fault(line: 1, reason: "this is no recording that swipectl made") }
        var head = Head(
            ids: ids, product: object["product"]?.string ?? "", descriptor: descriptor, content: content)
        head.rate = object["rate"]?.integer.flatMap(Int.init(exactly:))
        head.type = object["type"]?.string
        head.reading = object["reading"]?.string.flatMap(EncoderReading.init(rawValue:))
        guard isWhole(head) else { throw Fault(line: 1, reason: "this is no recording that swipectl made") }
        return head
    }

    /// Sound has a rate, and a line a type, which becomes part of files' names too.
    private static func isWhole(_ head: Head) -> Bool {
        switch head.ids {
        case Head.soundInput: head.type == nil && head.rate.map { (8_000...192_000).contains($0) } ?? false
        case Head.serialLine:
            head.rate == nil
                && head.type.map { type in
                    (1...longestResult).contains(type.utf8.count)
                        && type.utf8.allSatisfy {
                            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                        }
                } ?? false
        case _: head.rate == nil && head.type == nil
        }
    }

    /// `0801:0011`: it becomes part of files' names.
    private static func isDevice(_ ids: String) -> Bool {
        if ids == Head.soundInput || ids == Head.serialLine { return true }
        let parts = ids.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { $0.utf8.count == 4 && $0.allSatisfy(\.isHexDigit) }
    }

    private static func report(_ line: [UInt8], _ content: Content, line number: Int) throws(Fault) -> Report
    {
        let object = try object(line, number)
        guard let time = object["at_us"]?.integer.flatMap(Int.init(exactly:)), time >= 0,
            let length = object["bytes"]?.integer.flatMap(Int.init(exactly:)),
            (0...(content == .shapes ? longestSwipe : maximumReport)).contains(length)
        else { throw Fault(line: number, reason: "at_us or bytes is missing, or out of range") }
        guard content == .testCard else {
            guard let shapes = object["tracks"]?.array?.map(shape), !shapes.contains(nil) else {
                throw Fault(line: number, reason: "tracks is missing, or has more than shapes in it")
            }
            let peak = object["peak_db"]?.integer.flatMap(Int.init(exactly:))
            guard peak.map({ (-120...0).contains($0) }) ?? true else {
                throw Fault(line: number, reason: "peak_db is out of range")
            }
            return Report(time: time, length: length, tracks: shapes.compactMap(\.self), peak: peak)
        }
        guard let bytes = object["report"]?.string.flatMap(bytes(ofHexadecimal:)), bytes.count == length
        else {
            throw Fault(line: number, reason: "report is missing, or not of as many bytes as it says")
        }
        return Report(time: time, length: length, bytes: bytes)
    }

    /// Nil of what is no shape of a track.
    private static func shape(_ value: JSONValue) -> TrackShape? {
        guard let object = value.object, let track = object["track"]?.integer, (1...3).contains(track),
            let result = object["result"]?.string, result.utf8.count <= longestResult,
            result.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == 0x5F }),
            let characters = object["characters"]?.integer.flatMap(Int.init(exactly:)),
            (0...maximumReport).contains(characters)
        else { return nil }
        return TrackShape(track: Int(track), result: result, characters: characters)
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue ?? -1 }
        guard digits.count.isMultiple(of: 2), !digits.contains(-1) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
