/// A function's place and the lines of its body.
struct FunctionLength: Equatable {
    let name: String
    let line: Int
    let bodyLines: Int
}

/// Finds the functions in blanked Swift code by their keyword and their braces.
struct FunctionLengths {
    private let lines: [[Character]]

    /// Every function, initialiser and deinitialiser with a body in `lines` (of `CodeOnly`).
    static func find(in lines: [String]) -> [FunctionLength] {
        let finder = FunctionLengths(lines: lines.map(Array.init))
        return finder.lines.indices.flatMap(finder.declarations(onLine:))
    }

    private func declarations(onLine line: Int) -> [FunctionLength] {
        words(onLine: line).compactMap { word in
            guard ["func", "init", "deinit"].contains(word.text) else { return nil }
            let isCall = word.column > 0 && [".", "`"].contains(lines[line][word.column - 1])
            guard !isCall, let body = body(afterLine: line, column: word.column + word.text.count) else {
                return nil
            }
            return FunctionLength(
                name: name(line, word), line: line + 1, bodyLines: body.last - body.first + 1)
        }
    }

    private func name(_ line: Int, _ word: (text: String, column: Int)) -> String {
        guard word.text == "func" else { return word.text }
        let rest = lines[line][(word.column + 4)...].drop { $0 == " " }
        return String(rest.prefix { $0 != "(" && $0 != "<" && $0 != " " })
    }

    private func words(onLine line: Int) -> [(text: String, column: Int)] {
        var found: [(text: String, column: Int)] = []
        var current = ""
        for (column, character) in (lines[line] + [" "]).enumerated() {
            if character.isLetter || character.isNumber || character == "_" {
                current.append(character)
            } else {
                if !current.isEmpty { found.append((current, column - current.count)) }
                current = ""
            }
        }
        return found
    }

    /// The first and last line of the braces after a declaration; nil for a protocol's requirement.
    private func body(afterLine start: Int, column: Int) -> (first: Int, last: Int)? {
        var nesting = 0
        var braces = 0
        var first = start
        for line in start..<lines.count {
            let characters = line == start ? Array(lines[line].dropFirst(column)) : lines[line]
            if line > start, nesting == 0, braces == 0, !continues(characters) { return nil }
            for character in characters {
                switch character {
                case "(", "[": nesting += 1
                case ")", "]": nesting -= 1
                case "{" where nesting == 0 || braces > 0:
                    if braces == 0 { first = line }
                    braces += 1
                case "}" where braces > 0:
                    braces -= 1
                    if braces == 0 { return (first, line) }
                case "}" where nesting == 0: return nil
                default: break
                }
            }
        }
        return nil
    }

    /// Whether a line goes on with the declaration above it.
    private func continues(_ line: [Character]) -> Bool {
        let text = String(line.drop { $0 == " " })
        return ["{", "->", "where", "throws", "async", "rethrows", ")"].contains { text.hasPrefix($0) }
    }
}
