import ReaderPackets

/// Bytes as lists of numbers, as programs have them.
///
///     {0x00, 0x3c}      [0, 60, 37]      (byte) 0x9f, -97      0x9fu8      {"0":0,"1":60}      data: [0, 60] }
///
/// A list is a run of numbers with nothing between them but commas, blanks, casts and the quotes of a JSON object.
enum NumberLists {
    /// No report or packet is shorter; a length or a date is.
    private static let leastNumbers = 8
    private static let casts: Set<String> = [
        "byte", "toByte", "uint8_t", "UInt8", "Int8", "u8", "int8_t", "chr",
    ]
    private static let suffixes = ["u8", "uy", "ub", "u", "U", "L", "y"]
    private static let breaks = Set("{}[]<>=;@".utf8)

    static func readings(_ text: [UInt8]) -> [[[UInt8]]] {
        [number, hex].flatMap { value in
            let runs = runs(text, value)
            let whole = runs.filter { !$0.isTail }.flatMap { bytes($0.numbers) }
            let all = whole.count == runs.count ? [] : runs.flatMap { bytes($0.numbers, least: 1) }
            return [whole, all].filter { !$0.isEmpty }
        }
    }

    private struct Run {
        var numbers: [Int]
        /// Shorter than a report, and behind equal parts of one: what a transfer of a few bytes each brings last.
        var isTail: Bool
    }

    /// A USB packet holds no more.
    private static let mostInPart = 64

    /// Runs of numbers; a word that is none ends a run.
    private static func runs(_ text: [UInt8], _ value: (String) -> Int?) -> [Run] {
        var runs: [Run] = []
        var run: [Int] = []
        var word: [UInt8] = []
        func endWord() {
            defer { word = [] }
            let name = String(decoding: word, as: UTF8.self)
            if word.isEmpty || casts.contains(name) { return }
            if let number = value(name) { run.append(number) } else { endRun() }
        }
        func endRun() {
            let isTail = run.count < leastNumbers && endsParts(run, runs)
            if run.count >= leastNumbers || isTail { runs.append(Run(numbers: run, isTail: isTail)) }
            run = []
        }
        for byte in text {
            if isWord(byte) || (byte == UInt8(ascii: "-") && word.isEmpty) {
                word.append(byte)
            } else {
                endWord()
                if breaks.contains(byte) { endRun() }
            }
        }
        endWord()
        endRun()
        return runs
    }

    private static func endsParts(_ run: [Int], _ runs: [Run]) -> Bool {
        guard let last = runs.last?.numbers, runs.count > 1, !run.isEmpty else { return false }
        return last.count <= mostInPart && runs[runs.count - 2].numbers.count == last.count
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func number(_ word: String) -> Int? {
        if let number = Int(word) { return number }
        for suffix in [""] + suffixes where word.hasSuffix(suffix) {
            let digits = word.dropLast(suffix.count)
            if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
                if let number = Int(digits.dropFirst(2), radix: 16) { return number }
            } else if digits.hasPrefix("0b"), let number = Int(digits.dropFirst(2), radix: 2) {
                return number
            } else if let number = Int(digits) {
                return number
            }
        }
        return nil
    }

    /// Without a prefix, and leading zeros maybe left out.
    private static func hex(_ word: String) -> Int? {
        var digits = word[...]
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
        return digits.utf8.count <= 2 ? UInt8(digits, radix: 16).map(Int.init) : nil
    }

    /// The bytes of a run: without indices, and without numbers around it that are no bytes.
    private static func bytes(_ run: [Int], least: Int = leastNumbers) -> [[UInt8]] {
        var values = run[...]
        let indices = stride(from: 0, to: run.count, by: 2)
        if run.count.isMultiple(of: 2), indices.allSatisfy({ run[$0] == $0 / 2 }) {
            values = indices.map { run[$0 + 1] }[...]
        }
        return values.split { !(-128...255).contains($0) }.filter { $0.count >= least }
            .map { $0.map { UInt8(truncatingIfNeeded: $0) } }
    }
}
