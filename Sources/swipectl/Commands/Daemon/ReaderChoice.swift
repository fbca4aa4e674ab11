import SwipeClient
import SwipeProtocol

/// What a word on the command line says of a reader: its id, its name, or the beginning of one that no other reader begins with.
struct ReaderChoice {
    /// A reader as one may name it.
    struct Candidate: Hashable {
        var id: String
        var name: String?
    }

    private let word: String
    private let candidates: [Candidate]

    init(_ word: String, among candidates: [Candidate]) {
        self.word = word
        self.candidates = candidates
    }

    init(_ word: String, among readers: [ReaderInfo]) {
        self.init(word, among: readers.map { Candidate(id: $0.id, name: $0.name) })
    }

    /// The id of the reader that is meant.
    ///
    /// A whole word counts before a beginning, an id before a name: what a script says goes on meaning the same when another
    /// reader is plugged in.
    func id() throws(CommandFailure) -> String {
        if candidates.contains(where: { $0.id == word }) { return word }
        // A virtual reader is called virtual-NAME, by the name of its section.
        let named = candidates.filter { $0.name == word || $0.id == "virtual-\(word)" }
        let meant =
            named.isEmpty && !word.isEmpty
            ? candidates.filter { $0.id.hasPrefix(word) || $0.name?.hasPrefix(word) == true } : named
        let ids = Set(meant.map(\.id))
        guard let id = ids.first else { throw CommandFailure(noReader: word, among: candidates) }
        guard ids.count == 1 else { throw CommandFailure(ambiguous: word, among: meant) }
        return id
    }
}

extension SwipeClient {
    /// Does something with the reader that a word means. A word that is an id costs no look at the readers that are there.
    func meaning<Result>(
        _ word: String, _ body: (_ reader: String) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(word)
        } catch let error as SwipeClientError where error.reply?.code == .readerUnknown {
            let id = try ReaderChoice(word, among: try await candidates()).id()
            // It is there and cannot be asked: the daemon has said so.
            guard id != word else { throw error }
            return try await body(id)
        }
    }

    /// The readers that are there, and those that a sound input is kept for while nothing is in its jack.
    private func candidates() async throws(SwipeClientError) -> [ReaderChoice.Candidate] {
        let readers = try await readers()
        let inputs = try await audioInputs().map(\.id).filter { id in !readers.contains { $0.id == id } }
        return readers.map { ReaderChoice.Candidate(id: $0.id, name: $0.name) }
            + inputs.map { ReaderChoice.Candidate(id: $0) }
    }
}

extension CommandFailure {
    /// A reader that is not there; says which are.
    init(noReader word: String, among candidates: [ReaderChoice.Candidate]) {
        self.init(
            .noSuchReader,
            "no reader '\(word.printable)'; "
                + (candidates.isEmpty ? "none is attached" : "attached: \(Self.words(candidates))"))
    }

    /// The beginning of several readers' ids, or the name of several.
    init(ambiguous word: String, among candidates: [ReaderChoice.Candidate]) {
        self.init(.noSuchReader, "'\(word.printable)' can be several readers: \(Self.words(candidates))")
    }

    private static func words(_ candidates: [ReaderChoice.Candidate]) -> String {
        candidates.sorted { $0.id < $1.id }
            .map { reader in (reader.name.map { "\(reader.id) (\($0))" } ?? reader.id).printable }
            .joined(separator: ", ")
    }
}
