import CardData

/// Card formats of one's own, as data:
/// ```
/// # The sports club's membership cards.
/// [format club]
/// bits = 6            bits a character, parity included
/// parity = odd        odd, even or none
/// first = 0x20        the character whose data bits are all zero: a character, or its code
/// start = %           start sentinel
/// end = ?             end sentinel
/// lrc = yes           whether an LRC character follows the end sentinel
/// longest = 40        characters, sentinels and LRC included
/// density = 75        bits an inch; speeds are computed from it
/// track = 2           the track that its texts are reported as
/// ```
/// The syntax is that of the daemon's configuration. `bits`, `start` and `end` must be there.
package struct FormatFile: Sendable {
    /// Why a file gives no formats.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        package var line: Int
        package var reason: String

        /// `line N: what is wrong and what is allowed`.
        package var description: String { "line \(line): \(reason)" }
    }

    /// Longer files are refused.
    package static let maximumBytes = 64 * 1024
    /// More formats than this cost every swipe too much.
    package static let mostFormats = 32

    package let formats: [StripeFormat]

    /// Reads the formats of a file's text, in the order in which they stand there.
    package init(_ text: String) throws(Failure) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw Failure(line: 1, reason: "longer than \(Self.maximumBytes) bytes")
        }
        var sections: [FormatSection] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = Self.trim(line)
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[" {
                sections.append(try Self.section(content, line: index + 1, among: sections))
            } else {
                guard !sections.isEmpty else {
                    throw Failure(line: index + 1, reason: "a setting before the first [format NAME]")
                }
                try sections[sections.count - 1].set(content, line: index + 1)
            }
        }
        var formats: [StripeFormat] = []
        for section in sections { formats.append(try section.format()) }
        guard !formats.isEmpty else { throw Failure(line: 1, reason: "no [format NAME] in it") }
        self.formats = formats
    }

    private static func section(
        _ line: Substring, line number: Int, among sections: [FormatSection]
    ) throws(Failure) -> FormatSection {
        let words = line.dropFirst().dropLast().split(whereSeparator: \.isWhitespace)
        guard line.last == "]", words.count == 2, words[0] == "format" else {
            throw Failure(line: number, reason: "not a section: write [format NAME]")
        }
        let name = String(words[1])
        guard !(sections.map(\.name) + StripeFormat.standard.map(\.coding.name)).contains(name) else {
            throw Failure(line: number, reason: "there is a format '\(name)' already")
        }
        guard sections.count < mostFormats else {
            throw Failure(line: number, reason: "more than \(mostFormats) formats")
        }
        return FormatSection(name: name, line: number)
    }

    static func trim(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}

/// What one section says.
struct FormatSection {
    var name: String
    var line: Int
    private var values: [String: (text: String, line: Int)] = [:]

    /// Bits a character, parity included; fewer hold no digits, more no decoder of ours has states for.
    private static let widths = 4...8
    private static let lengths = 4...1000
    private static let densities = 10.0...1000
    private static let keys = [
        "bits", "parity", "first", "start", "end", "lrc", "longest", "density", "track",
    ]

    init(name: String, line: Int) {
        self.name = name
        self.line = line
    }

    mutating func set(_ content: Substring, line: Int) throws(FormatFile.Failure) {
        guard let equals = content.firstIndex(of: "=") else {
            throw FormatFile.Failure(line: line, reason: "not a setting: write key = value")
        }
        let key = String(FormatFile.trim(content[..<equals]))
        guard Self.keys.contains(key) else {
            throw FormatFile.Failure(
                line: line, reason: "unknown key '\(key)'; known: \(Self.keys.joined(separator: ", "))")
        }
        values[key] = (String(FormatFile.trim(content[content.index(after: equals)...])), line)
    }

    func format() throws(FormatFile.Failure) -> StripeFormat {
        let width = try integer("bits", Self.widths, otherwise: nil)
        let parity = try self.parity()
        let dataBits = width - (parity == .none ? 0 : 1)
        let first = try character("first", otherwise: Self.usualFirst(dataBits))
        let coding = TrackFormat(
            name: name, dataBits: dataBits, parity: parity, firstCharacter: first,
            startSentinel: try sentinel("start", dataBits, first),
            endSentinel: try sentinel("end", dataBits, first), hasLRC: try flag("lrc"),
            maximumCharacters: try integer("longest", Self.lengths, otherwise: 107))
        return StripeFormat(
            coding: coding, track: try integer("track", 1...3, otherwise: 2), bitsPerInch: try density())
    }

    /// As ISO has it: digits from '0', letters from the space, anything wider from code 0.
    private static func usualFirst(_ dataBits: Int) -> UInt8 {
        dataBits <= 4 ? UInt8(ascii: "0") : dataBits <= 6 ? UInt8(ascii: " ") : 0
    }

    private func parity() throws(FormatFile.Failure) -> TrackFormat.Parity {
        switch values["parity"]?.text {
        case nil, "odd": .odd
        case "even": .even
        case "none": .none
        case _?: throw fault("parity", "write odd, even or none")
        }
    }

    private func flag(_ key: String) throws(FormatFile.Failure) -> Bool {
        switch values[key]?.text {
        case nil, "yes": true
        case "no": false
        case _?: throw fault(key, "write yes or no")
        }
    }

    private func integer(
        _ key: String, _ range: ClosedRange<Int>, otherwise: Int?
    ) throws(FormatFile.Failure) -> Int {
        guard let value = values[key].map({ Int($0.text) }) ?? otherwise, range.contains(value) else {
            throw fault(key, "write a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private func density() throws(FormatFile.Failure) -> Double {
        guard let text = values["density"]?.text else { return 75 }
        guard let value = Double(text), Self.densities.contains(value) else {
            throw fault(
                "density", "write a number from \(Self.densities.lowerBound) to \(Self.densities.upperBound)")
        }
        return value
    }

    private func character(_ key: String, otherwise: UInt8?) throws(FormatFile.Failure) -> UInt8 {
        guard let text = values[key]?.text else {
            guard let otherwise else { throw fault(key, "write a character, or its code as 0x3B") }
            return otherwise
        }
        if text.hasPrefix("0x"), let code = UInt8(text.dropFirst(2), radix: 16) { return code }
        guard text.utf8.count == 1, let code = text.utf8.first else {
            throw fault(key, "write a character, or its code as 0x3B")
        }
        return code
    }

    private func sentinel(
        _ key: String, _ dataBits: Int, _ first: UInt8
    ) throws(FormatFile.Failure) -> UInt8 {
        let code = try character(key, otherwise: nil)
        guard code >= first, Int(code) - Int(first) < 1 << dataBits else {
            throw fault(key, "it is not among the \(1 << dataBits) characters from code \(first) on")
        }
        return code
    }

    private func fault(_ key: String, _ reason: String) -> FormatFile.Failure {
        FormatFile.Failure(line: values[key]?.line ?? line, reason: "[format \(name)] \(key): \(reason)")
    }
}
