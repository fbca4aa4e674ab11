/// A service's command line: what may be said, and what it means to a program, a person, a manual and a shell.
///
/// Not ArgumentParser: it brings in FoundationEssentials, and with it a fifth of the daemon (docs/decisions/0211).
package struct ProgramLine: Sendable {
    /// `--name`, or `--name VALUE`.
    package struct Option: Sendable, Hashable {
        package enum Value: Sendable, Hashable {
            case none
            case text
            case file
        }

        package let name: String
        let help: String
        let value: Value
        /// Each that is said counts; of others the last.
        let isRepeated: Bool
        /// For scripts of ours: no help tells of it.
        let isHidden: Bool

        init(
            _ name: String, _ help: String, value: Value, isRepeated: Bool = false, isHidden: Bool = false
        ) {
            self.name = name
            self.help = help
            self.value = value
            self.isRepeated = isRepeated
            self.isHidden = isHidden
        }

        package static func flag(_ name: String, _ help: String, isHidden: Bool = false) -> Option {
            Option(name, help, value: .none, isHidden: isHidden)
        }

        package static func file(_ name: String, _ help: String) -> Option {
            Option(name, help, value: .file)
        }

        package static func texts(_ name: String, _ help: String) -> Option {
            Option(name, help, value: .text, isRepeated: true)
        }

        /// As it is written.
        var word: String { "--\(name)" }
    }

    package let program: String
    package let version: String
    let abstract: String
    let discussion: String
    /// What its exit statuses mean.
    let statuses: String
    let options: [Option]

    package init(
        _ program: String, version: String, abstract: String, discussion: String, statuses: String,
        options: [Option]
    ) {
        self.program = program
        self.version = version
        self.abstract = abstract
        self.discussion = discussion
        self.statuses = statuses
        self.options = options
    }

    static let showsVersion = Option.flag("version", "Show the version.")
    static let showsHelp = Option.flag("help", "Show help information.")
    /// For packages: completion in bash, zsh or fish.
    static let completion = Option("generate-completion-script", "", value: .text, isHidden: true)
    /// For scripts/generate.
    static let manual = Option("manual-page", "", value: .none, isHidden: true)

    /// The program's own, and those that every one has.
    var all: [Option] { options + [Self.showsVersion, Self.showsHelp, Self.completion, Self.manual] }
    /// Those that a person is told of.
    var shown: [Option] { all.filter { !$0.isHidden } }
}

/// Wrong usage, in words.
package struct UsageFault: Error, Sendable, Hashable {
    package var words: String

    package init(_ words: String) { self.words = words }
}

/// What a command line says.
package struct ProgramWords: Sendable, Hashable {
    /// Each option's values, by its name.
    private var values: [String: [String]] = [:]

    package func has(_ option: ProgramLine.Option) -> Bool { values[option.name] != nil }

    package func value(_ option: ProgramLine.Option) -> String? { values[option.name]?.last }

    package func all(_ option: ProgramLine.Option) -> [String] { values[option.name] ?? [] }

    /// - Parameter words: without the program's name.
    package init(_ words: [String], of line: ProgramLine) throws(UsageFault) {
        var rest = words[...]
        var fault: UsageFault?
        var areOptionsOver = false
        while let word = rest.popFirst() {
            let isOption = !areOptionsOver && word.hasPrefix("-") && word != "-"
            let (name, value) = Self.parts(word)
            let named = name == "-h" ? ProgramLine.showsHelp : line.all.first { $0.word == name }
            if isOption, word == "--" {
                areOptionsOver = true
            } else if isOption, let option = named {
                values[option.name, default: []].append(try Self.value(of: option, value, &rest))
            } else {
                let what = isOption ? "Unknown option '\(name)'" : "Unexpected argument '\(word)'"
                fault = fault ?? UsageFault(what)
            }
        }
        // Who asks for help gets it, whatever word is not known.
        if let fault, !has(ProgramLine.showsHelp) { throw fault }
    }

    /// `--name=value`
    private static func parts(_ word: String) -> (name: String, value: String?) {
        guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private static func value(
        of option: ProgramLine.Option, _ said: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageFault) -> String {
        guard option.value != .none else {
            guard let said else { return "" }
            throw UsageFault(
                "The option '\(option.word)' does not take any value, but '\(said)' was specified.")
        }
        if let said, !said.isEmpty { return said }
        // What looks like an option is none's value; with `=` it may be.
        guard said == nil, let next = rest.first, !next.hasPrefix("-") || next == "-" else {
            throw UsageFault("Missing value for '\(option.word) <\(option.name)>'")
        }
        rest.removeFirst()
        return next
    }
}
