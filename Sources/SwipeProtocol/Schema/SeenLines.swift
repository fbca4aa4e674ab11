/// Holds lines against the schema, one of each form: a line that differs from an earlier one in digits alone is right
/// where that one was.
///
/// The form of a line is the line with 0 in place of each digit, so that numbers, times and serial numbers of one length
/// have one form, and every word is its own. Checking a line costs a thousand times what finding its form costs; so every
/// line of every test can be held against the schema, also where there are forty thousand and a sanitizer beside.
///
/// What passes so behind a line that was right: a date that is none, and a number that begins with 0. Both have one writer,
/// with tests of its own; and what the daemon says has no number that may only be so large.
package struct SeenLines {
    /// What is remembered is forgotten when it is so many forms: a test may make every line different.
    static let limit = 4_096

    private let checker: SchemaChecker
    private var forms: Set<String> = []

    package init(_ checker: SchemaChecker = SchemaChecker()) { self.checker = checker }

    /// What is wrong with a line, its newline included or not; nil when it fits.
    ///
    /// - Parameter method: what the line answers, where that is known: then it has to be that method's answer.
    package mutating func complaint(about line: UnsafeRawBufferPointer, answering method: Method? = nil)
        -> String?
    {
        let form = (method?.rawValue ?? "") + SeenLines.form(of: line)
        guard !forms.contains(form) else { return nil }
        if let complaint = check(line, method) { return complaint }
        if forms.count >= SeenLines.limit { forms = [] }
        forms.insert(form)
        return nil
    }

    /// The same for a line that is a text.
    package mutating func complaint(about line: String) -> String? {
        var line = line
        return line.withUTF8 { complaint(about: UnsafeRawBufferPointer($0)) }
    }

    private func check(_ line: UnsafeRawBufferPointer, _ method: Method?) -> String? {
        do throws(JSONError) {
            let json = try JSONReader.value(of: Array(line))
            if let complaint = checker.complaint(about: json) { return complaint }
            guard let method, let result = json.object?["result"] else { return nil }
            return checker.complaint(about: result, answering: method)
        } catch {
            return "\(error)"
        }
    }

    /// The line with 0 in place of each digit. Eight bytes at a time: a build without optimisation, which tests are, takes
    /// a microsecond for a line then.
    static func form(of line: UnsafeRawBufferPointer) -> String {
        let width = MemoryLayout<UInt64>.size
        return withUnsafeTemporaryAllocation(byteCount: line.count, alignment: width) { form in
            var offset = 0
            while offset + width <= line.count {
                let word = line.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                form.storeBytes(of: withoutDigits(word), toByteOffset: offset, as: UInt64.self)
                offset += width
            }
            while offset < line.count {
                let word = withoutDigits(UInt64(line[offset]))
                form[offset] = UInt8(truncatingIfNeeded: word)
                offset += 1
            }
            return String(decoding: form, as: UTF8.self)
        }
    }

    /// Eight bytes, with 0 (30) in place of 0...9 (30...39).
    private static func withoutDigits(_ word: UInt64) -> UInt64 {
        let (each, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        // A digit is now 0...9; whatever is more has its highest bit set once 76 is added.
        let value = word ^ each &* 0x30
        let more = ((value & ~high) &+ each &* 0x76 | value) & high
        let digits = (~more & high) >> 7 &* 0xFF
        return value & ~digits ^ each &* 0x30
    }
}
