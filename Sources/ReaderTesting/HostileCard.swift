import CardData

/// A card on which digits stand where a masked view might show them, and what of them no masked line may hold.
///
/// What is secret is worked out here by itself, from how the card was made, and not by the code that masks.
package struct HostileCard: Sendable {
    /// Tracks 1 to 3; empty where there is none.
    package private(set) var texts = ["", "", ""]
    /// What was done to it, for a failing test's message.
    package private(set) var deed = ""
    /// Every number on the card.
    private var numbers: [[UInt8]] = []

    /// So many digits of a number in a row are told from chance.
    package static let run = MaskedSwipe.secretRun

    private struct Parts {
        var number: [UInt8]
        var expiry: String
        var code: String
        var data: String
        var text: String { String(decoding: number, as: UTF8.self) }
        var tail: String { expiry + code + data }
    }

    /// Nil where chance made something secret of what may be shown.
    package init?(using random: inout SeededGenerator) {
        let parts = Self.parts(using: &random)
        let other = Self.parts(using: &random)
        numbers = [parts.number]
        let name = name(parts, other, using: &random)
        var tracks = [parts, parts, parts]
        hideNumber(of: parts, other, in: &tracks, using: &random)
        texts[0] = track1(tracks[0], name, using: &random)
        texts[1] = track2(tracks[1], other, using: &random)
        texts[2] = track3(tracks[2], other, using: &random)
        numbers = numbers.filter(isWhole)
        // What a number's own beginning repeats of its middle hides nothing.
        guard
            numbers.allSatisfy({
                Self.runs($0.prefix(Self.shown(of: $0.count).start)).isDisjoint(with: Self.secrets(of: $0))
            })
        else { return nil }
    }

    /// Hides a second number in the data behind the expiry date and the service code, or in their place. In its middle stand digits
    /// that may be shown of the first one: its beginning, or its expiry date with the service code.
    private mutating func hideNumber(
        of own: Parts, _ other: Parts, in tracks: inout [Parts], using random: inout SeededGenerator
    ) {
        let place = Int.random(in: 0...11, using: &random)
        guard place < 8 else { return }
        let shown = Bool.random(using: &random) ? Array(own.number.prefix(6)) : Array(own.tail.utf8.prefix(7))
        let start = Int.random(in: 0...(shown.count - Self.run), using: &random)
        let piece = shown[start...].prefix(Int.random(in: Self.run...(Self.run + 2), using: &random))
        var number: [UInt8] = Self.numerals(3, using: &random)
        number += Self.numerals(3, using: &random)
        number += piece
        number += Self.numerals(Int.random(in: 2...5, using: &random), using: &random)
        if Int.random(in: 0...3, using: &random) == 0 { number = other.number }
        numbers.append(number)
        let data = String(decoding: number, as: UTF8.self)
        let filler = String(repeating: "7", count: Int.random(in: 0...3, using: &random))
        for index in tracks.indices where place == 0 || place == index + 1 {
            tracks[index].data = filler + data + String(filler.prefix(1))
        }
        if place >= 4 {
            deed += ", number in the expiry's place"
            number = Self.inPlaceOfExpiry(number, using: &random)
            numbers[numbers.count - 1] = number
            for index in tracks.indices where place == 4 || place == index + 5 {
                (tracks[index].expiry, tracks[index].code) = ("", "")
                tracks[index].data = String(decoding: number, as: UTF8.self)
            }
        } else {
            deed += ", number in the data \(place)"
        }
    }

    /// A number that passes for an expiry date, a service code and data: with a month in its third and fourth digit. It begins with
    /// what no year of expiry begins with, or the service code has no meaning, or it has a brand and the right check digit.
    private static func inPlaceOfExpiry(_ number: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var number = number
        number.replaceSubrange(2..<4, with: Array("11".utf8))
        switch Int.random(in: 0...2, using: &random) {
        case 0:
            number[0] = UInt8.random(in: 0x34...0x39, using: &random)
            return number
        case 1:
            number[0] = UInt8.random(in: 0x32...0x33, using: &random)
            number[4] = 0x38
            return number
        case _: break
        }
        number = Array("3711".utf8) + numerals(11, using: &random)
        // One of these last digits is right, and it may be a zero, of which nothing is asked.
        for digit in UInt8(0x30)...0x39 {
            number[14] = digit
            if Luhn.isValid(number) { break }
        }
        return number
    }

    /// The card with its first tracks alone, for what reads no others.
    package func keepingTracks(_ count: Int) -> HostileCard {
        var card = self
        card.texts = texts.enumerated().map { $0 < count ? $1 : "" }
        card.numbers = card.numbers.filter(card.isWhole)
        return card
    }

    /// Whether a number stands whole on the card. Behind a zero on track 3 its first digit is a format code's.
    private func isWhole(_ number: [UInt8]) -> Bool {
        texts.contains { text in
            let digits = text.utf8.filter { (0x30...0x39).contains($0) }
            guard digits.count >= number.count, !text.hasPrefix(";0") || text.hasPrefix(";00") else {
                return false
            }
            return (0...(digits.count - number.count)).contains {
                digits[$0...].prefix(number.count).elementsEqual(number)
            }
        }
    }

    /// A track as long as its alphabet allows.
    private static func track(_ text: String, _ longest: Int) -> String {
        text.utf8.count <= longest ? text : String(text.prefix(longest - 1)) + "?"
    }

    private static func digits(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0x30...0x39, using: &random) }
    }

    /// Digits of a number: without zeros, since with these a reader covers digits, and one that is a zero itself tells nothing.
    private static func numerals(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0x31...0x39, using: &random) }
    }

    private static func parts(using random: inout SeededGenerator) -> Parts {
        let month = Int.random(in: 1...12, using: &random)
        let year = Int.random(in: 10...49, using: &random)
        let length = Int.random(in: 12...19, using: &random)
        var number = numerals(length, using: &random)
        number[0] = UInt8.random(in: 0x33...0x36, using: &random)
        return Parts(
            number: number, expiry: String(year * 100 + month),
            code: ["101", "201", "221", "606", "000", "837"].randomElement(using: &random) ?? "101",
            data: String(decoding: digits(8, using: &random), as: UTF8.self))
    }

    // MARK: - The tracks

    private mutating func name(_ own: Parts, _ other: Parts, using random: inout SeededGenerator) -> String {
        let text = own.text
        let groups = stride(from: 0, to: text.count, by: 4).map { String(text.dropFirst($0).prefix(4)) }
        let lettered = text.map { "\($0)A" }.joined()
        let names: [String] = [
            "DOE/JOHN", "O'BRIEN-DOE/J. Q.MR", "", " /", "CARD 01", other.text, text,
            groups.joined(separator: " "), groups.joined(separator: "/"), groups.joined(separator: "-"),
            own.tail, "\(own.expiry)\(own.code)", "DOE \(text)", "\(text)A", String(text.reversed()),
            lettered,
            groups.joined(separator: "DOE"), ";\(text)=", "%B\(text)",
            "DOE/\(text.dropFirst(6).prefix(6))", "\(text.dropFirst(4).prefix(8))/DOE/JOHN",
        ]
        let index = Int.random(in: names.indices, using: &random)
        deed += "name \(index)"
        if index == 5 { numbers.append(other.number) }
        return String(names[index].prefix(26))
    }

    private mutating func track1(
        _ own: Parts, _ name: String, using random: inout SeededGenerator
    ) -> String {
        let texts: [String] = [
            "%B\(own.text)^\(name)^\(own.tail)?", "%B\(own.text)^\(name)^\(own.tail)?",
            "%B\(own.text)^\(name)^\(own.tail)?", "%B\(own.text)^\(own.tail)^?", "%B\(own.text)^\(own.tail)?",
            "%A\(own.text)^\(name)^^\(own.code)\(own.data)?", "%B\(own.text)^\(name)^^^\(own.tail)?",
            "%C\(own.text)^\(name)^\(own.tail)?", "%CAANYTOWN^\(name)A^\(own.text) MAIN ST^?",
            "\u{7F}a\(own.text)\(name)\u{7F}", "%\(own.text)^\(name)^\(own.tail)?", "",
        ]
        let index = Int.random(in: texts.indices, using: &random)
        deed += ", track 1 \(index)"
        return Self.track(texts[index], 76)
    }

    private mutating func track2(
        _ own: Parts, _ other: Parts, using random: inout SeededGenerator
    ) -> String {
        let shift = Int.random(in: 1...6, using: &random)
        let more = Self.numerals(shift + 4, using: &random)
        let shifted = Array((Array(own.number.dropFirst(shift)) + more).prefix(16))
        let index = Int.random(in: 0...9, using: &random)
        deed += ", track 2 \(index)"
        switch index {
        case 0...2: return Self.track(";\(own.text)=\(own.tail)?", 39)
        case 3:
            numbers.append(shifted)
            deed += " by \(shift)"
            return Self.track(";\(String(decoding: shifted, as: UTF8.self))=\(own.tail)?", 39)
        case 4:
            numbers.append(other.number)
            return ";\(other.text)=\(other.tail)?"
        case 5: return Self.track(";\(own.text)=\(own.text.dropFirst(4))?", 37)
        case 6: return ";\(own.text)==\(own.code)\(own.data)?"
        case 7: return Self.track(";636014\(own.text.prefix(13))=\(own.expiry)19800101?", 37)
        case 8: return Self.track(";\(own.text)\(other.text)?", 37)
        case _: return ""
        }
    }

    private mutating func track3(
        _ own: Parts, _ other: Parts, using random: inout SeededGenerator
    ) -> String {
        let index = Int.random(in: 0...8, using: &random)
        deed += ", track 3 \(index)"
        switch index {
        case 0: return ";00\(own.text)=724978000000000000\(own.data)?"
        case 1: return ";\(own.text)=724978000000000000=\(own.data)?"
        case 2: return ";0\(own.text)=724978000000000000?"
        case 3: return ";05\(own.text.dropFirst())=7249780000?"
        case 4: return ";\(own.text.dropFirst(3))000=7249780000?"
        case 5: return ";\(own.text)\(own.text)=\(own.tail)?"
        case 6: return "%10\(own.text)      C               M511180BROBLU\(own.text.prefix(10))?"
        case _: return ""
        }
    }

    // MARK: - What must not be shown

    /// Runs of a number's digits of which at least one is none of its first six and last four.
    package var secrets: Set<[UInt8]> {
        numbers.reduce(into: []) { $0.formUnion(Self.secrets(of: $1)) }
    }

    /// How many digits of a number may be shown at its ends: four in the middle are hidden.
    private static func shown(of count: Int) -> (start: Int, end: Int) {
        let end = Swift.min(4, count - 4)
        return (Swift.min(6, Swift.max(count - end - 4, 0)), end)
    }

    /// A run with a zero in it tells nothing: readers cover digits with zeros.
    private static func secrets(of number: [UInt8]) -> Set<[UInt8]> {
        let (start, end) = shown(of: number.count)
        var secrets: Set<[UInt8]> = []
        for first in 0...(number.count - run) where first + run > start && first < number.count - end {
            let digits = Array(number[first..<(first + run)])
            if !digits.contains(0x30) { secrets.insert(digits) }
        }
        return secrets
    }

    /// The runs of digits in a line.
    package static func runs(_ bytes: some Sequence<UInt8>) -> Set<[UInt8]> {
        var runs: Set<[UInt8]> = []
        var last: [UInt8] = []
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else {
                last = []
                continue
            }
            last = last.suffix(run - 1) + [byte]
            if last.count == run { runs.insert(last) }
        }
        return runs
    }

    /// What a line tells of the numbers, also where signs and letters part their digits: hidden digits, or the ends of more than
    /// one number. Nothing reads across `*`, separators and what JSON puts between its values.
    package func leaks(in line: String) -> [String] {
        let joined = line.utf8.filter { (0x30...0x39).contains($0) || "*\"{}[]:,^=".utf8.contains($0) }
        let hidden = Self.runs(line.utf8).union(Self.runs(joined)).intersection(secrets)
        let ends = Self.shownEnds(Array(line.utf8)).map { $0.subtracting(endsOfTrack3) }
        return (Array(hidden) + ends.filter { $0.count > 1 }.flatMap { Array($0) }).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The ends of a number of track 3's own, perhaps behind a format code, which may be shown next to those of the card's.
    private var endsOfTrack3: Set<[UInt8]> {
        let digits = Array(texts[2].utf8.dropFirst().prefix { (0x30...0x39).contains($0) })
        let starts = [0, 2].flatMap { code in [5, 6].map { Array(digits.dropFirst(code).prefix($0)) } }
        return Set(starts + [digits.suffix(4)])
    }

    /// The first digits of numbers that a masked text shows, and the last: what stands in front of a `*`, or behind one.
    private static func shownEnds(_ line: [UInt8]) -> [Set<[UInt8]>] {
        var (starts, ends): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for digits in line.split(whereSeparator: { !(0x30...0x39).contains($0) }) {
            let isStart = digits.endIndex < line.count && line[digits.endIndex] == 0x2A
            let isBehind = digits.startIndex > 0 && line[digits.startIndex - 1] == 0x2A
            if isStart, run...6 ~= digits.count { starts.insert(Array(digits)) }
            if isBehind, !isStart, digits.count == 4 { ends.insert(Array(digits)) }
        }
        return [starts, ends]
    }
}
