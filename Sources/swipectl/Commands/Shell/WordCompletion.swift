/// What a word that is being typed may become.
struct WordCompletion {
    /// What is to be inserted; nothing where that is not clear.
    var insertion = ""
    /// What it may be, where it may be several things and nothing can be inserted.
    var choices: [String] = []

    /// - Parameters:
    ///   - commands: what a line may begin with.
    ///   - tree: what may follow each of them.
    init(_ line: String, commands: [String], tree: CommandWords, readers: [String]) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        let word = parts.last ?? ""
        var words = parts.dropLast().filter { !$0.isEmpty }.map(String.init)
        // What 'help' explains is completed as if it were to be run.
        if words.first == "help" { words.removeFirst() }
        let all = words.isEmpty ? commands : tree.candidates(words + [String(word)], readers: readers)
        let candidates = Set(all.filter { $0.hasPrefix(word) }).sorted()
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
