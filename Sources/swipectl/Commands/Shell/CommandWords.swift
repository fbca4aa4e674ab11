import ArgumentParser
import SwipeProtocol

/// A command as the argument parser describes it: what may follow its name.
struct CommandWords: Sendable {
    /// An option, or an argument without a name.
    struct Argument: Sendable {
        /// With their dashes; none for an argument without a name.
        var names: [String] = []
        var takesValue = true
        var isRepeating = false
        /// What its value may be, where that can be listed.
        var values: [String] = []
        /// Its value is one of the readers that are there.
        var isReader = false
    }

    var name: String
    var subcommands: [CommandWords] = []
    var arguments: [Argument] = []

    /// Deep enough for a command of a command.
    private static let maximumDepth = 32

    /// Of the root command, from its own description.
    static let root: CommandWords = {
        let text = Array(SwipeCtl._dumpHelp().utf8)
        let described = try? JSONReader.value(of: text, maximumDepth: maximumDepth)
        return described?.object?["command"].map { CommandWords($0) } ?? CommandWords(name: "swipectl")
    }()

    init(name: String) { self.name = name }

    private init(_ described: JSONValue) {
        let object = described.object
        name = object?["commandName"]?.string ?? ""
        subcommands = (object?["subcommands"]?.array ?? []).filter(Self.isShown).map { CommandWords($0) }
        arguments = (object?["arguments"]?.array ?? []).filter(Self.isShown).map { Argument($0) }
    }

    private static func isShown(_ described: JSONValue) -> Bool {
        described.object?["shouldDisplay"]?.bool ?? true
    }
}

extension CommandWords.Argument {
    fileprivate init(_ described: JSONValue) {
        let object = described.object
        let kind = object?["kind"]?.string
        takesValue = kind != "flag"
        isRepeating = object?["isRepeating"]?.bool ?? false
        if kind != "positional" {
            names = (object?["names"]?.array ?? []).compactMap { name in
                guard let word = name.object?["name"]?.string else { return nil }
                return (name.object?["kind"]?.string == "long" ? "--" : "-") + word
            }
        }
        let completion = object?["completionKind"]?.object
        let listed = completion?["list"]?.object?["values"]?.array
        values = (listed ?? object?["allValues"]?.array ?? []).compactMap(\.string)
        let asks = completion?["custom"] != nil || completion?["customAsync"] != nil
        isReader = asks && object?["valueName"]?.string?.hasPrefix("reader") == true
    }
}

extension CommandWords {
    /// What the last of these words may become, behind this command's name. Options are offered where a dash was typed, or there is nothing
    /// else.
    func candidates(_ words: [String], readers: [String]) -> [String] {
        guard let word = words.last else { return [] }
        if words.count > 1, let next = subcommands.first(where: { $0.name == words[0] }) {
            return next.candidates(Array(words.dropFirst()), readers: readers)
        }
        return argumentCandidates(words.dropLast(), word, readers)
    }

    private func argumentCandidates(
        _ before: ArraySlice<String>, _ word: String, _ readers: [String]
    ) -> [String] {
        var place = 0
        var used: Set<String> = []
        /// An option whose value comes next.
        var pending: Argument?
        for earlier in before {
            if pending != nil {
                pending = nil
            } else if let option = arguments.first(where: { $0.names.contains(earlier) }) {
                used.formUnion(option.isRepeating ? [] : option.names)
                pending = option.takesValue ? option : nil
            } else if !earlier.hasPrefix("-") {
                place += 1
            }
        }
        if let pending { return pending.possible(readers) }
        let options = arguments.filter { $0.names.allSatisfy { !used.contains($0) } }
            .compactMap { $0.names.first { $0.hasPrefix("--") } ?? $0.names.first }
        if word.hasPrefix("-") { return options }
        let unnamed = arguments.filter(\.names.isEmpty)
        let argument =
            place < unnamed.count ? unnamed[place] : unnamed.last.flatMap { $0.isRepeating ? $0 : nil }
        let possible = subcommands.map(\.name) + (argument?.possible(readers) ?? [])
        return possible.isEmpty && word.isEmpty ? options : possible
    }
}

extension CommandWords.Argument {
    fileprivate func possible(_ readers: [String]) -> [String] { isReader ? readers : values }
}
