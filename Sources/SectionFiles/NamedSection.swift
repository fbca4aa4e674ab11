/// A section that makes one thing with a name: `[profile mine]`. Its values are taken out one by one, each checked.
package struct NamedSection: Sendable, Hashable {
    package let kind: String
    package let name: String
    private let section: FileSection

    /// What a value is said to be, where it is said.
    package func text(_ key: String) -> String? { section.entries.first { $0.key == key }?.value }

    /// - Parameter otherwise: what holds where nothing is said; nil where something must be.
    package func integer(
        _ key: String, _ range: ClosedRange<Int>, otherwise: Int?
    ) throws(SectionFault) -> Int {
        guard let value = text(key).map({ Int($0) }) ?? otherwise, range.contains(value) else {
            throw fault(key, "write a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    package func number(
        _ key: String, _ range: ClosedRange<Double>, otherwise: Double
    ) throws(SectionFault) -> Double {
        guard let text = self.text(key) else { return otherwise }
        guard let value = Double(decimal: text), range.contains(value) else {
            throw fault(key, "write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, otherwise: Choice
    ) throws(SectionFault) -> Choice {
        guard let text = self.text(key) else { return otherwise }
        guard let choice = Choice(rawValue: text) else {
            throw fault(key, "write one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// What is wrong with a value, or that it is missing.
    package func fault(_ key: String, _ reason: String) -> SectionFault {
        let line = section.entries.first { $0.key == key }?.line ?? section.line
        return SectionFault(line: line, reason: "[\(kind) \(name)] \(key): \(reason)")
    }

    /// The sections of a file in which all are of one kind, in the order in which they stand there.
    ///
    /// - Parameters:
    ///   - keys: what may be said in one.
    ///   - taken: names that none may have.
    ///   - limits: how long the text may be, and how many sections may stand in it.
    package static func all(
        _ kind: String, in text: String, keys: [String], taken: [String] = [],
        limits: (bytes: Int, sections: Int)
    ) throws(SectionFault) -> [NamedSection] {
        let file = try SectionFile(text, form: .named(kind), maximumBytes: limits.bytes)
        guard !file.sections.isEmpty else { throw SectionFault(line: 1, reason: "no [\(kind) NAME] in it") }
        var names = Set(taken)
        for (index, section) in file.sections.enumerated() {
            guard names.insert(section.words[1]).inserted else {
                throw SectionFault(
                    line: section.line, reason: "there is a \(kind) '\(section.words[1])' already")
            }
            guard index < limits.sections else {
                throw SectionFault(line: section.line, reason: "more than \(limits.sections) \(kind)s")
            }
            for entry in section.entries where !keys.contains(entry.key) {
                throw SectionFault(
                    line: entry.line,
                    reason: "unknown key '\(entry.key)'; known: \(keys.joined(separator: ", "))")
            }
        }
        return file.sections.map { NamedSection(kind: kind, name: $0.words[1], section: $0) }
    }
}
