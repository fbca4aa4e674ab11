import CardData
import HIDReaders
import ReaderKit
import ReaderPackets

/// Swipes in captured text: what keyboard, serial and iDynamo channels carry, one swipe a line, or a track a line.
struct StreamCapture: Sendable {
    var models: Set<HIDCapture.Model>
    /// What stands between the fields of a stream, where somebody says so.
    var separator: UInt8?

    /// A separator of a site's own stands at least this often in a stream.
    private static let leastSeparators = 10
    /// Characters behind a short stream.
    private static let mostWords = 64
    /// An account number's digits at least (the shortest in the list of issuers), without its sentinels.
    private static let leastTrack = 12
    /// The last field's, before a text that can be set.
    private static let formatCharacters = 4
    /// Words of a log before a stream.
    private static let mostWordsInFront = 16
    /// ISO/IEC 7813.
    private static let longestName = 26
    /// A name stands in the first track, shown and in clear, and so in three parts of a stream at most.
    private static let mostNames = 3

    func outcomes(in text: [UInt8]) -> [HIDCapture.Outcome] {
        let lines = BlockPadding.removed(text).split { $0 == 0x0A || $0 == 0x0D }.map(Array.init)
            .filter { line in line.contains { !CaptureText.isSpace($0) } }
        guard !lines.isEmpty else { return [.failure(.empty)] }
        if models.contains(.magTekStream), let fields = NamedFields.stream(lines) {
            return [Self(models: models).stream(fields)]
        }
        let outcomes = joined(lines).flatMap(outcomes(ofLine:))
        // A page that was too narrow for a stream broke it; nothing else reads as one across lines.
        if lines.count > 1, !outcomes.allSatisfy(\.isSuccess), !lines.contains(where: isComplete),
            let whole = unbroken(lines)
        {
            return [whole]
        }
        return outcomes
    }

    /// All lines as one packet or stream whose check sum is right.
    private func unbroken(_ lines: [[UInt8]]) -> HIDCapture.Outcome? {
        let line = lines.flatMap(\.self)
        if models.contains(.idTechKeyboard), let typed = typed(line), typed.isSuccess { return typed }
        // The CRC says nothing of what stands behind it: the last line must be a part of the stream.
        guard models.contains(.magTekStream), behind(line).count < (lines.last?.count ?? 0) else {
            return nil
        }
        if let stream = try? read(line), stream.isChecked { return .success(Self.found(stream)) }
        return withLostBlanks(line).map { .success(Self.found($0)) }
    }

    /// A line that its own check sum ends: nothing of it is on the next.
    private func isComplete(_ line: [UInt8]) -> Bool {
        if models.contains(.idTechKeyboard), let typed = typed(line), typed.isSuccess { return true }
        guard models.contains(.magTekStream), let stream = try? read(line) else { return false }
        return stream.isChecked
    }

    /// What stands behind a full stream's last field, the format code; empty where a line is none.
    private func behind(_ line: [UInt8]) -> ArraySlice<UInt8> {
        let separator = separator ?? MagTekStream.defaultSeparator
        guard let last = line.lastIndex(of: separator) else { return [] }
        return line[(last + 1)...].dropFirst(Self.formatCharacters)
    }

    /// Whether a line is what a reader typed or sent, right or wrong, with nothing in front.
    func isPlainly(_ line: ArraySlice<UInt8>) -> Bool {
        let isTrack = line.first == UInt8(ascii: "%") || line.first == UInt8(ascii: ";")
        let isPacket = HexField.bytes(line.prefix(6))?.first == IDTechFrame.start
        guard isTrack || isPacket, line.contains(UInt8(ascii: "?")),
            line.count <= MagTekStream.maximumCharacters
        else { return false }
        switch outcome(Array(line)) {
        case .success, .failure(.malformed): return true
        case .failure: return false
        }
    }

    /// Whether a line behind one that a reader typed is that swipe's third track, with a sentinel that other texts begin with as well:
    /// a comment has small letters.
    func isThirdTrack(_ line: ArraySlice<UInt8>) -> Bool {
        let tracks = (try? TrackScan.tracks(in: Array(line))) ?? []
        return tracks.map(\.track) == [3] && tracks[0].text.count == line.count
            && !line.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    /// Lines that hold one track each belong to one swipe as long as the tracks' numbers grow.
    private func joined(_ lines: [[UInt8]]) -> [[UInt8]] {
        var streams: [[UInt8]] = []
        var lastTrack = 0
        for line in lines {
            let tracks = (try? TrackScan.tracks(in: line)) ?? []
            let number = tracks.count == 1 ? Self.track(tracks[0], aloneIn: line) : 0
            let isNext =
                lastTrack > 0 && (number > lastTrack || (number == 2 && lastTrack == 2))
                || number > 0 && LicenceLines.isThirdTrack(line, of: streams.last ?? [])
            if isNext, let last = streams.indices.last, !TwoCards.begins(line, behind: streams[last]) {
                streams[last] += line
                lastTrack = max(number, lastTrack + 1)
            } else {
                streams.append(line)
                lastTrack = number
            }
        }
        return streams
    }

    /// A line's swipe; several, where nothing ends them.
    private func outcomes(ofLine line: [UInt8]) -> [HIDCapture.Outcome] {
        let whole = outcome(line)
        guard !whole.isSuccess else { return [whole] + outcomes(behind: line) }
        if models.contains(.idTechKeyboard), let packets = Self.packets(line) { return packets }
        let values = FormText.values(line).map(outcome).filter(\.isSuccess)
        return values.isEmpty ? TrackScan.swipes(in: line)?.map(outcome) ?? [whole] : values
    }

    /// What stands behind a full stream in its line, where it is more than a few words.
    private func outcomes(behind line: [UInt8]) -> [HIDCapture.Outcome] {
        let rest = CaptureText.trimmed(behind(line))
        guard models.contains(.magTekStream), !rest.isEmpty, !Self.isWrapping(rest) else { return [] }
        return Self.isWords(Array(rest)) ? [] : outcomes(ofLine: Array(rest))
    }

    /// A few words without a track: a sentinel with fewer characters behind it than any card's number has begins none.
    private static func isWords(_ text: [UInt8]) -> Bool {
        guard text.count <= mostWords else { return false }
        do throws(TrackScan.Refusal) {
            return try TrackScan.tracks(in: text).isEmpty
        } catch {
            let start = text.firstIndex { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") }
            return error == .noEndSentinel && text.count - (start ?? 0) <= leastTrack
        }
    }

    /// What pages and programs put behind a line: the end of a tag or of a literal, a line end that somebody made visible.
    private static func isWrapping(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "<"):
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")), end - rest.startIndex <= mostWords
                else {
                    return false
                }
                rest = rest[(end + 1)...]
            case UInt8(ascii: "^"), UInt8(ascii: "\\"):
                guard let letter = rest.popFirst(), "MJrn".utf8.contains(letter) else { return false }
            case _: guard CaptureText.isSpace(byte) || "\"'`,;)]}".utf8.contains(byte) else { return false }
            }
        }
        return true
    }

    /// Typed packets one after the other, where nothing ends them; nil where there are no two, or something else as well.
    private static func packets(_ line: [UInt8]) -> [HIDCapture.Outcome]? {
        var outcomes: [HIDCapture.Outcome] = []
        var place = 0
        while place < line.count, let frame = try? IDTechFrame.typed(line, at: place) {
            outcomes.append(ByteCapture.outcome(frame, .idTechKeyboard))
            place = frame.endIndex
        }
        return outcomes.count > 1 && line[place...].allSatisfy(CaptureText.isSpace) ? outcomes : nil
    }

    /// Which track a line is that holds nothing else, but maybe its name: `Track 1: `, `T2=`; 0 for any other line.
    private static func track(_ track: TrackScan.Found, aloneIn line: [UInt8]) -> Int {
        guard track.range.upperBound == line.count else { return 0 }
        let name = line[..<track.range.lowerBound].filter {
            !CaptureText.isSpace($0) && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=")
        }
        guard let first = name.first, let last = name.last else { return track.track }
        let digits = UInt8(ascii: "1")...UInt8(ascii: "3")
        return first | 0x20 == UInt8(ascii: "t") && digits.contains(last) ? Int(last - UInt8(ascii: "0")) : 0
    }

    private func outcome(_ line: [UInt8]) -> HIDCapture.Outcome {
        if models.contains(.idTechKeyboard), let outcome = typed(line) { return outcome }
        if models.contains(.gen3), Self.isGen3(line) { return Self.gen3(line) }
        guard models.contains(.magTekStream) || models.contains(.sureSwipe) else {
            return .failure(.unrecognised(bytes: line.count))
        }
        return stream(line)
    }

    /// A packet as a reader types it. Nil where the line does not begin like one.
    private func typed(_ line: [UInt8]) -> HIDCapture.Outcome? {
        let line = Self.withLostZero(Self.packet(in: line))
        guard line.count >= 2, HexField.bytes(line.prefix(2)) == [IDTechFrame.start] else { return nil }
        do throws(IDTechPacket.Refusal) {
            let line = Self.readable(line)
            let frame = try IDTechFrame.typed(line)
            guard Self.isWrapping(line[frame.endIndex...]) else {
                return .failure(.malformed(.idTechKeyboard, IDTechPacket.Refusal.leftOver.rawValue))
            }
            return ByteCapture.outcome(frame, .idTechKeyboard)
        } catch {
            if let bytes = ShownPacket.bytes(line), let frame = try? IDTechFrame.binary(bytes),
                frame.endIndex == bytes.count
            {
                return ByteCapture.outcome(frame, .idTechPacket)
            }
            let bare = Self.withoutGaps(line)
            if bare != line, let outcome = typed(bare), outcome.isSuccess { return outcome }
            return .failure(.malformed(.idTechKeyboard, error.rawValue))
        }
    }

    /// A packet without the blanks that somebody put between its fields: names keep theirs.
    private static func withoutGaps(_ line: [UInt8]) -> [UInt8] {
        let start = line.firstIndex { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") } ?? line.endIndex
        let end = line.lastIndex(of: UInt8(ascii: "?")) ?? start
        let places = line.indices.filter { $0 >= start && $0 <= end || !CaptureText.isSpace(line[$0]) }
        return places.map { line[$0] }
    }

    /// A line from where its packet begins, which has no blank before its first text: a time or a tag may stand in front.
    private static func packet(in line: [UInt8]) -> [UInt8] {
        let line = CaptureText.trimmed(line[...])
        let head = line.prefix { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: ";") }
        for isEnd in [CaptureText.isSpace, { HexField.value($0) == nil }] as [(UInt8) -> Bool] {
            guard let end = head.lastIndex(where: isEnd) else { continue }
            let packet = Array(line[(end + 1)...])
            if (try? IDTechFrame.typed(packet)) != nil || (try? IDTechFrame.typed(uppercased(packet))) != nil
            {
                return packet
            }
        }
        return Array(line)
    }

    /// A packet whose first character is lost, as where it went for a number: `2ED0…`.
    private static func withLostZero(_ line: [UInt8]) -> [UInt8] {
        guard line.first == UInt8(ascii: "2") else { return line }
        let whole = [UInt8(ascii: "0")] + line
        return (try? IDTechFrame.typed(whole)) == nil ? line : whole
    }

    /// A packet that went through a program or a keyboard layout that makes small letters: its check sums are those of
    /// the letters that the reader typed.
    private static func readable(_ line: [UInt8]) -> [UInt8] {
        guard (try? IDTechFrame.typed(line)) == nil else { return line }
        let upper = uppercased(line)
        return (try? IDTechFrame.typed(upper)) == nil ? line : upper
    }

    private static func uppercased(_ line: [UInt8]) -> [UInt8] {
        line.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
    }

    private static func isGen3(_ line: [UInt8]) -> Bool {
        line.starts(with: "M001|".utf8) || line.starts(with: "Q00".utf8)
    }

    static func gen3(_ text: [UInt8]) -> HIDCapture.Outcome {
        do throws(Gen3Message.Refusal) {
            let message = try Gen3Message(text)
            return .success(HIDCapture.Found(model: .gen3, swipe: message.swipe, serial: message.serial))
        } catch {
            return .failure(.malformed(.gen3, error.sentence))
        }
    }

    private func read(_ line: [UInt8]) throws(MagTekStream.Refusal) -> MagTekStream {
        try MagTekStream(line, separator: separator ?? MagTekStream.defaultSeparator)
    }

    private func stream(_ line: [UInt8]) -> HIDCapture.Outcome {
        do throws(MagTekStream.Refusal) {
            let stream = try read(line)
            guard stream.isChecked || endsWithItsTracks(line), stream.isChecked || !Self.hasForeign(line)
            else {
                return .failure(.unrecognised(bytes: line.count))
            }
            return .success(Self.found(stream))
        } catch {
            if error == .checkSum, let whole = withLostBlanks(line) {
                return .success(Self.found(whole))
            }
            if let other = otherForm(line) { return .success(Self.found(other)) }
            if error == .noTracks { return .failure(.unrecognised(bytes: line.count)) }
            return .failure(.malformed(.magTekStream, error.sentence))
        }
    }

    /// Whether there are characters between the first track and the last that no reader sends: the track with them is not found.
    private static func hasForeign(_ line: [UInt8]) -> Bool {
        guard let start = line.firstIndex(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") }),
            let end = line.lastIndex(of: UInt8(ascii: "?")), start < end
        else { return false }
        return line[start..<end].contains { $0 >= 0x80 }
    }

    /// A short stream ends with its tracks and a few words; more than those are a part of something else.
    private func endsWithItsTracks(_ line: [UInt8]) -> Bool {
        guard !line.contains(separator ?? MagTekStream.defaultSeparator),
            let tracks = try? TrackScan.tracks(in: line),
            let end = tracks.last?.range.upperBound
        else { return true }
        return line.count - end <= Self.mostWords
    }

    private static func found(_ stream: MagTekStream) -> HIDCapture.Found {
        HIDCapture.Found(model: .magTekStream, swipe: stream.swipe, serial: stream.serial)
    }

    /// The stream with words in front of it, in small letters, or with the separator that somebody set (property 23):
    /// whatever reads then, its CRC included.
    private func otherForm(_ line: [UInt8]) -> MagTekStream? {
        let sentinels = line.indices.filter { line[$0] == UInt8(ascii: "%") || line[$0] == UInt8(ascii: ";") }
        // A text of a site's own stands in front of the first track, and counts for the CRC.
        let words = line.prefix(sentinels.first ?? 0).indices.filter { $0 > 0 && line[$0 - 1] == 0x20 }
        let whole =
            (sentinels.prefix(1) + words.prefix(Self.mostWordsInFront)).filter { $0 > 0 }
            .map { CaptureText.trimmed(line[$0...]) } + [line[...]]
        // What is too long for a stream is none in any form: each would cost a look at every character for every separator.
        let short = whole.filter { $0.count <= MagTekStream.maximumCharacters }
        for line in short.flatMap({ [Array($0), Self.uppercased(Array($0))] }) {
            if let stream = try? read(line), stream.isChecked { return stream }
            if separator == nil, let stream = Self.otherSeparator(line) { return stream }
        }
        return nil
    }

    /// A stream from a page that shows many blanks as one: as many are put back behind the name as make its CRC right.
    private func withLostBlanks(_ line: [UInt8]) -> MagTekStream? {
        let lost = Array(" ^".utf8)
        let parts = line.count <= MagTekStream.maximumCharacters ? line.split(separator: lost) : []
        guard (2...Self.mostNames).contains(parts.count) else { return nil }
        for blanks in 2...Self.longestName {
            let padding = Array(repeating: UInt8(0x20), count: blanks) + [UInt8(ascii: "^")]
            let whole = Array(parts.joined(separator: padding))
            if let stream = try? read(whole), stream.isChecked { return stream }
        }
        return nil
    }

    private static func otherSeparator(_ line: [UInt8]) -> MagTekStream? {
        guard !line.contains(MagTekStream.defaultSeparator) else { return nil }
        var counts = Array(repeating: 0, count: 256)
        for byte in line { counts[Int(byte)] += 1 }
        for separator in UInt8.min...UInt8.max
        where counts[Int(separator)] >= leastSeparators && HexField.value(separator) == nil {
            if let stream = try? MagTekStream(line, separator: separator), stream.isChecked { return stream }
        }
        return nil
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }
}
