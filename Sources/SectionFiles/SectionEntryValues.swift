extension Double {
    /// A number as people write it: a sign, digits and one point. Hex, exponents and words such as `nan` are none.
    package init?(decimal text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ".") }.drop { "+-".utf8.contains($0) }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}

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

    /// `sun_path` of unix(7) has 108 bytes, the last of which is 0.
    package static let maximumSocketPathBytes = 107

    /// A path that means the same wherever a program is started.
    package func path() throws(SectionFault) -> String {
        guard value.hasPrefix("/") else { throw fault("write a path that begins with /") }
        return value
    }

    package func pathOrNothing() throws(SectionFault) -> String {
        guard value.isEmpty || value.hasPrefix("/") else {
            throw fault("write a path that begins with /, or nothing")
        }
        return value
    }

    package func socketPath() throws(SectionFault) -> String {
        guard value.hasPrefix("/"), value.utf8.count <= Self.maximumSocketPathBytes else {
            throw fault(
                "write a path of at most \(Self.maximumSocketPathBytes) bytes that begins with /")
        }
        return value
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
