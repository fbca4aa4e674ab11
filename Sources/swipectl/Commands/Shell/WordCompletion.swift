/// What a word that is being typed may become.
struct WordCompletion {
    /// What is to be inserted; nothing where that is not clear.
    var insertion = ""
    /// What it may be, where it may be several things and nothing can be inserted.
    var choices: [String] = []

    init(_ line: String, commands: [String], readers: [String]) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let word = words.last ?? ""
        let isFirst = words.dropLast().allSatisfy(\.isEmpty)
        let isHelp = words.first { !$0.isEmpty } == "help"
        let candidates = (isFirst || isHelp ? commands : readers).filter { $0.hasPrefix(word) }.sorted()
        guard let first = candidates.first else { return }
        guard candidates.count > 1 else {
            insertion = first.dropFirst(word.count) + " "
            return
        }
        let common = candidates.dropFirst().reduce(first) { common, other in
            String(zip(common, other).prefix { $0 == $1 }.map(\.0))
        }
        insertion = String(common.dropFirst(word.count))
        if insertion.isEmpty { choices = candidates }
    }
}

/// Words as a shell takes them apart: blanks between them, quotes of both kinds round blanks.
enum ShellWords {
    /// Nil where a quote is not closed.
    static func of(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return quote == nil ? words : nil
    }
}
