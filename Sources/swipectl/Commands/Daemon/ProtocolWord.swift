import ArgumentParser
import SwipeProtocol

/// One of the protocol's own words as an argument: help, completions and refusals list them all.
struct ProtocolWord<Word: WireWord>: ExpressibleByArgument {
    let word: Word

    init?(argument: String) {
        guard let word = Word(rawValue: argument) else { return nil }
        self.word = word
    }

    var defaultValueDescription: String { word.rawValue }
    static var allValueStrings: [String] { Word.words }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
