import Testing

@testable import ProgramSupport

/// The command line of a service: what is taken of it, and what is told of it.
@Suite struct ProgramLineTests {
    private static let config = ProgramLine.Option.file("config", "The file, instead of [the usual one].")
    private static let listen = ProgramLine.Option.texts("listen", "Listen here: it's as well.")
    private static let check = ProgramLine.Option.flag("check-config", "Check it, and end.")
    private static let hidden = ProgramLine.Option.flag("settings-page", "", isHidden: true)
    private static let line = ProgramLine(
        "some-service", version: "1.2.3", abstract: "Serves some.", discussion: "Without options it serves.",
        statuses: "0 ended, 2 wrong usage", options: [config, listen, check, hidden])

    private func words(_ words: String...) throws(UsageFault) -> ProgramWords {
        try ProgramWords(words, of: Self.line)
    }

    @Test func valuesAreTakenInBothForms() throws {
        let said = try words("--config", "a", "--listen=b=c", "--check-config", "--listen", "-", "--config=d")
        #expect(said.value(Self.config) == "d", "the last one holds")
        #expect(said.all(Self.listen) == ["b=c", "-"])
        #expect(said.has(Self.check) && !said.has(Self.hidden))
        #expect(try words("--config", "", "--").value(Self.config) == "")
    }

    /// Whoever asks for help in a line that is wrong otherwise gets it.
    @Test(
        arguments: [
            ["-h"], ["--help"], ["--confi", "--help"], ["extra", "-h"], ["--help", "--", "extra"],
        ])
    func helpIsGivenAllTheSame(_ words: [String]) throws {
        #expect(try ProgramWords(words, of: Self.line).has(ProgramLine.showsHelp))
    }

    @Test(
        arguments: [
            (["--confi", "x"], "Unknown option '--confi'"), (["-c"], "Unknown option '-c'"),
            (["--config"], "Missing value for '--config <config>'"),
            (["--config", "--check-config"], "Missing value for '--config <config>'"),
            (["--config=", "x"], "Missing value for '--config <config>'"),
            (["--config", "--help"], "Missing value for '--config <config>'"),
            (["--check-config=yes"], "does not take any value"), (["extra"], "Unexpected argument 'extra'"),
            (["--", "--config"], "Unexpected argument '--config'"), ([""], "Unexpected argument ''"),
            (["-"], "Unexpected argument '-'"),
        ])
    func whatIsWrongIsSaid(_ words: [String], _ part: String) {
        #expect {
            try ProgramWords(words, of: Self.line)
        } throws: { error in
            let told = (error as? UsageFault).map(Self.line.words) ?? ""
            return told.hasPrefix("Error: ") && told.contains(part)
                && told.contains(
                    "Usage: some-service [--config <config>] [--listen <listen> ...] [--check-config]\n")
                && told.hasSuffix("  See 'some-service --help' for more information.\n")
        }
    }

    @Test func helpTellsOfWhatIsForPeople() {
        let help = Self.line.help
        #expect(help.contains("  --config <config>       The file, instead of [the usual one].\n"))
        #expect(help.contains("Exit status: 0 ended, 2 wrong usage.\n"))
        #expect(help.hasSuffix("  -h, --help              Show help information.\n"))
        #expect(!help.contains("settings-page") && !help.contains("completion"))
        for line in help.split(separator: "\n") where !line.hasPrefix("USAGE") {
            #expect(line.utf8.count <= 80, "\(line)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func eachShellIsOfferedTheOptions(_ shell: String) throws {
        let script = try #require(Self.line.completion(for: shell))
        for name in ["config", "listen", "check-config", "version", "help"] {
            #expect(script.contains(name), "\(name)")
        }
        #expect(!script.contains("settings-page"))
        #expect(script.contains("_some_service") || shell == "fish")
        #expect(Self.line.completion(for: "csh") == nil)
    }

    /// Brackets and colons mean something to zsh, and a quote ends what is quoted.
    @Test func shellsReadTheWordsAsTheyAre() throws {
        let zsh = try #require(Self.line.completion(for: "zsh"))
        #expect(zsh.contains(#"[The file, instead of \[the usual one\].]:config:_files"#))
        #expect(zsh.contains(#"'*--listen[Listen here\: it'\''s as well.]:listen: '"#))
        let fish = try #require(Self.line.completion(for: "fish"))
        #expect(fish.contains(#"-l config -rF -d 'The file, instead of [the usual one].'"#))
        #expect(fish.contains(#"-d 'Listen here: it'\''s as well.'"#))
    }

    @Test func theManualHasEachOption() {
        let page = Self.line.manualPage
        #expect(page.contains(".Dt SOME-SERVICE 8\n") && page.contains(".Nd \"Serves some\"\n"))
        #expect(page.contains(".Op Fl -listen Ar listen...\n"))
        #expect(page.contains(".It Fl -check-config\nCheck it, and end.\n"))
        #expect(page.hasSuffix(".It Fl h , -help\nShow help information.\n.El\n"))
        #expect(!page.contains("Exit status"), "its section has more")
    }
}
