/// A file of sections: the daemon's configuration, card formats and acoustic profiles are written so.
/// ```
/// # a comment          or ; a comment
/// [section]            or [section name]
/// key = value          the value runs to the end of the line, spaces at both ends removed
/// ```
/// Chosen over TOML and JSON because every operator knows it from systemd's files, and because each value then has a
/// line of its own to be named in an error.
package struct SectionFile: Sendable, Hashable {
    /// Which sections may stand in a file.
    package enum Form: Sendable, Hashable {
        /// `[section]` and `[section name]`.
        case any
        /// `[kind NAME]` alone.
        case named(String)

        var words: String {
            switch self {
            case .any: "[section] or [section name], a name without blanks"
            case .named(let kind): "[\(kind) NAME]"
            }
        }

        var first: String {
            switch self {
            case .any: "[section]"
            case .named(let kind): "[\(kind) NAME]"
            }
        }

        func allows(_ words: [String]) -> Bool {
            switch self {
            case .any: (1...2).contains(words.count)
            case .named(let kind): words.count == 2 && words[0] == kind
            }
        }
    }

    /// In the order in which they stand there; one that is begun twice stands there twice.
    package private(set) var sections: [FileSection] = []
    /// What is wrong with the text, in the order of its lines. It is left out of the sections.
    package private(set) var faults: [SectionFault] = []

    /// Where a line stands.
    private enum Place {
        case beforeTheFirst
        case within
        /// After a header that is none: which section was meant, only its author knows.
        case unknown
    }

    /// Reads a file's text. Longer texts than that are refused, and so is one with a fault.
    package init(_ text: String, form: Form, maximumBytes: Int) throws(SectionFault) {
        self.init(reading: text, form: form, maximumBytes: maximumBytes)
        if let first = faults.first { throw first }
    }

    /// Reads a file's text with all its ``faults``.
    package init(reading text: String, form: Form, maximumBytes: Int) {
        guard text.utf8.count <= maximumBytes else {
            faults = [SectionFault(line: 1, reason: "longer than \(maximumBytes) bytes")]
            return
        }
        var place = Place.beforeTheFirst
        for (index, line) in Self.lines(text).enumerated() {
            do throws(SectionFault) {
                try take(Self.trim(line), form, line: index + 1, &place)
            } catch {
                faults.append(error)
            }
        }
        if place == .within { refuseEmpty() }
        faults.sort { $0.line < $1.line }
    }

    /// Where a key of a section stands; where it does not, where the section begins.
    package func line(of section: [String], _ key: String) -> Int {
        let parts = sections.filter { $0.words == section }
        return parts.flatMap(\.entries).last { $0.key == key }?.line ?? parts.first?.line ?? 1
    }

    private mutating func take(
        _ content: Substring, _ form: Form, line: Int, _ place: inout Place
    ) throws(SectionFault) {
        // A tab may stand anywhere; of the others an editor shows nothing.
        if let control = content.unicodeScalars.first(where: { Self.isControl($0) && $0 != "\t" }) {
            let number = String(control.value, radix: 16, uppercase: true)
            throw SectionFault(line: line, reason: "a control character (U+\(number)) stands in it")
        }
        guard let first = content.first, first != "#", first != ";" else { return }
        guard first == "[" else {
            return try add(try Self.assignment(content, line: line), form, place)
        }
        if place == .within { refuseEmpty() }
        place = .unknown
        sections.append(try Self.header(content, form, line: line))
        place = .within
    }

    /// With either end of line, and without the mark that some editors put before the first.
    private static func lines(_ text: String) -> [Substring] {
        let marked = text.unicodeScalars.first == "\u{FEFF}"
        let text = marked ? Substring(text.unicodeScalars.dropFirst()) : text[...]
        // CR LF is one character.
        return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }

    /// Those of ASCII.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F
    }

    private mutating func add(
        _ entry: SectionEntry, _ form: Form, _ place: Place
    ) throws(SectionFault) {
        guard place != .unknown else { return }
        guard let section = sections.last else {
            throw SectionFault(
                line: entry.line, reason: "'\(entry.key)' stands before the first \(form.first)")
        }
        // Which of two lines was meant, only its author knows.
        for earlier in sections where earlier.words == section.words {
            guard let first = earlier.entries.first(where: { $0.key == entry.key }) else { continue }
            throw SectionFault(
                line: entry.line, reason: "'\(entry.key)' stands in line \(first.line) already")
        }
        sections[sections.count - 1].entries.append(entry)
    }

    /// A section with a name makes something, and of nothing cannot. One without may have all its lines commented out.
    private mutating func refuseEmpty() {
        guard let last = sections.last, last.words.count == 2, last.entries.isEmpty,
            !faults.contains(where: { $0.line > last.line })
        else { return }
        let reason = "[\(last.words.joined(separator: " "))] has nothing in it"
        faults.append(SectionFault(line: last.line, reason: reason))
    }

    private static func header(
        _ line: Substring, _ form: Form, line number: Int
    ) throws(SectionFault) -> FileSection {
        let words = line.dropFirst().dropLast().split(whereSeparator: \.isWhitespace).map(String.init)
        guard line.last == "]", form.allows(words) else {
            throw SectionFault(line: number, reason: "not a section: write \(form.words)")
        }
        return FileSection(words: words, line: number)
    }

    private static func assignment(
        _ line: Substring, line number: Int
    ) throws(SectionFault) -> SectionEntry {
        guard let equals = line.firstIndex(of: "=") else {
            throw SectionFault(line: number, reason: "not a setting: write key = value")
        }
        let key = trim(line[..<equals])
        guard !key.isEmpty else { throw SectionFault(line: number, reason: "no key before '='") }
        return SectionEntry(
            key: String(key), value: String(trim(line[line.index(after: equals)...])), line: number)
    }

    private static func trim(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}

/// One section, and where it begins.
package struct FileSection: Sendable, Hashable {
    /// `["virtual-hid", "demo"]` for `[virtual-hid demo]`.
    package let words: [String]
    package let line: Int
    package internal(set) var entries: [SectionEntry] = []

    /// Takes the entries one by one; what is wrong with each is thrown together, so an author hears of all of it at once.
    package func each(_ take: (SectionEntry) throws(SectionFault) -> Void) throws(SectionFaults) {
        var faults: [SectionFault] = []
        for entry in entries {
            do throws(SectionFault) { try take(entry) } catch { faults.append(error) }
        }
        if !faults.isEmpty { throw SectionFaults(faults) }
    }
}

/// All that is wrong with a section.
package struct SectionFaults: Error, Sendable, Hashable {
    package let all: [SectionFault]

    package init(_ all: [SectionFault]) { self.all = all }

    package init(line: Int, reason: String) { all = [SectionFault(line: line, reason: reason)] }
}

/// One `key = value`, and where it stands.
package struct SectionEntry: Sendable, Hashable {
    package let key: String
    package let value: String
    package let line: Int
}

/// Why a file cannot be used.
package struct SectionFault: Error, Sendable, Hashable, CustomStringConvertible {
    package var line: Int
    package var reason: String

    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    /// `FILE:LINE: what is wrong and what is allowed`, as compilers write it.
    package func description(in file: String) -> String { "\(file):\(line): \(reason)" }

    /// `line N: what is wrong and what is allowed`.
    package var description: String { "line \(line): \(reason)" }
}
