/// A value of a section that is checked by itself, and what is wrong with it in words that name its key.
extension SectionEntry {
    package func fault(_ reason: String) -> SectionFault {
        SectionFault(line: line, reason: "\(key): \(reason)")
    }

    package func unknown(_ known: [String]) -> SectionFault {
        SectionFault(line: line, reason: "unknown key '\(key)'; known: \(known.joined(separator: ", "))")
    }

    package func whole(_ range: ClosedRange<Int>) throws(SectionFault) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw fault("write a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func truth() throws(SectionFault) -> Bool {
        switch value {
        case "yes": return true
        case "no": return false
        case _: throw fault("write yes or no")
        }
    }

    package func word(of words: [String]) throws(SectionFault) -> String {
        guard words.contains(value) else { throw fault("write one of \(words.joined(separator: ", "))") }
        return value
    }
}
