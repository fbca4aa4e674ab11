import ArgumentParser
import ReaderKit
import SwipeClient
import SwipeProtocol

/// What is offered while a command is being typed, asked of the daemon that the words before name.
extension CompletionKind {
    /// The ids of the readers that are there, and their names.
    static var readers: CompletionKind {
        .custom { words, _, _ in
            await TypedCommand(words).readers().flatMap { [$0.id] + ($0.name.map { [$0] } ?? []) }
        }
    }

    /// The properties of the reader that stands before.
    static var properties: CompletionKind {
        .custom { words, _, _ in
            let typed = TypedCommand(words)
            guard
                let reader = await typed.readers().first(where: { reader in
                    typed.words.contains(reader.id) || reader.name.map(typed.words.contains) == true
                })
            else {
                return []
            }
            return PropertyCommand.properties(of: reader).map(\.name)
        }
    }
}

/// A command line that is being typed.
private struct TypedCommand {
    /// What an answer may take while somebody waits with a finger on the key.
    private static let patience = Duration.seconds(2)

    let words: [String]

    /// The words come as they were typed: what a shell would take off of a name, we do.
    init(_ words: [String]) {
        self.words = words.map { word in word.filter { !#"'"\"#.contains($0) } }
    }

    /// The socket that the line names; nil where it names none.
    private var socket: String? {
        if let joined = words.last(where: { $0.hasPrefix("--socket=") }) {
            return String(joined.dropFirst("--socket=".count))
        }
        guard let place = words.lastIndex(of: "--socket"), words.indices.contains(place + 1) else {
            return nil
        }
        return words[place + 1]
    }

    /// The readers that the daemon has; none where it does not answer.
    func readers() async -> [ReaderInfo] {
        let client = SwipeClient(
            path: socket ?? SwipeClient.defaultPath, reconnects: false, timeout: Self.patience)
        defer { client.close() }
        return (try? await client.readers()) ?? []
    }
}
