import Foundation
import SwipeProtocol
import Testing

/// What the pages tell people to write and to type, tried as it stands there.
@Suite(.serialized) struct DocumentedExampleTests {

    // MARK: Configuration

    static let configurations = PageBlocks.blocks.filter { block in
        let first = block.text.split(separator: "\n").first { !$0.hasPrefix("#") }
        return first?.wholeMatch(of: /\[[a-z-]+( [a-z0-9-]+)?\]/) != nil
    }

    /// A piece of a configuration, or of a file that a configuration names, is right as it stands.
    @Test(arguments: configurations) func theConfigurationIsRight(_ example: PageBlocks.Example) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, piece) = (folder.appending(path: "swiped.conf"), folder.appending(path: "piece"))
        try example.text.write(to: piece, atomically: true, encoding: .utf8)
        let reader = "[audio-reader desk]\ndevice = hw:CARD=PCH\n"
        let text =
            if example.text.contains("[format ") {
                reader + "formats = \(piece.path)\n"
            } else if example.text.contains("[profile ") {
                reader + "type = unimag\nprofile_file = \(piece.path)\n"
            } else {
                example.text
            }
        try text.write(to: file, atomically: true, encoding: .utf8)
        let checked = try FinishedProgram(
            [BuiltProgram.path("swiped").path, "--check-config", "--config", file.path])
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    }

    // MARK: Commands

    /// A command of ours with the options that pages give it.
    struct Command: Sendable, CustomTestStringConvertible {
        let name: [String]
        var options: Set<String> = []

        var testDescription: String { name.joined(separator: " ") }
    }

    /// The commands of all pages, each once.
    static let commands: [Command] = {
        let lines = PageBlocks.blocks.flatMap { $0.text.split(separator: "\n") }
        let spans = PageBlocks.pages.flatMap { $0.text.matches(of: /`([^`\n]+)`/).map(\.1) }
        let start = /^ *(?:sudo )?((?:swipectl|swiped|scripts\/[a-z-]+)(?: [^|#>;]*)?)(?:[|#>;].*)?$/
        var commands: [[String]: Command] = [:]
        for text in lines + spans {
            guard let found = text.wholeMatch(of: start) else { continue }
            let words = found.1.split { " []".contains($0) }.map(String.init)
            let name = Array(words.prefix(1)) + chain(words)
            let options = words.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
            commands[name, default: Command(name: name)].options.formUnion(options)
        }
        return commands.values.sorted { $0.testDescription < $1.testDescription }
    }()

    /// Of swipectl's words those that name a command: two for one of a group, else one.
    private static func chain(_ words: [String]) -> [String] {
        guard words.first == "swipectl" else { return [] }
        let names = words.dropFirst().prefix { $0.contains(/^[a-z-]+$/) && !$0.hasPrefix("-") }
        return Array(names.prefix(["audio", "property", "web"].contains(names.first) ? 2 : 1))
    }

    /// Commands and options are there under these names, by what `--help` says.
    @Test(arguments: commands) func theCommandIsThere(_ command: Command) throws {
        let name = try #require(command.name.first)
        let program =
            name.hasPrefix("scripts/")
            ? BuiltProgram.root.appending(path: name).path : BuiltProgram.path(name).path
        let help = try FinishedProgram([program] + command.name.dropFirst() + ["--help"], limit: 120)
        #expect(help.status == 0, "\(help.errors)")
        if name == "swipectl" { #expect(help.output.contains("USAGE: \(command.testDescription)")) }
        for option in command.options.subtracting(["--help", "--version"]) {
            #expect(help.output.contains(option), "\(option) is not in what --help says")
        }
    }

    // MARK: Requests

    /// Everything from a brace to the one that closes it which has a method.
    static let requests: [PageBlocks.Example] = PageBlocks.pages.flatMap { page in
        page.text.matches(of: /\{"(?:id|method)":/).compactMap { match in
            var depth = 0
            let rest = page.text[match.range.lowerBound...]
            guard
                let end = rest.indices.first(where: { index in
                    if rest[index] == "{" { depth += 1 }
                    if rest[index] == "}" { depth -= 1 }
                    return depth == 0
                })
            else { return nil }
            let text = String(rest[...end])
            return text.contains("\"method\":") ? PageBlocks.Example(page: page.name, text: text) : nil
        }
    }

    /// Each is sent to a running daemon, which answers as the page says where it shows the answer: as it stands there for
    /// an error, with the members of the method's answer otherwise. That every line fits the schema the client sees to.
    @Test(arguments: requests) func theRequestIsAnswered(_ example: PageBlocks.Example) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\nadmin = *\n")
        let client = try daemon.connect()
        client.send(example.text)
        let said = try JSONReader.value(of: Array(try client.line().utf8)).object
        let request = try Request(line: Array(example.text.utf8))
        let asked = try JSONReader.value(of: Array(example.text.utf8)).object
        #expect(said?["id"] == asked?["id"] ?? .null)
        let shown = try Self.answer(to: example)?.object
        #expect(said?["error"] == shown?["error"], "\(said as Any)")
        if let result = said?["result"] {
            #expect(SchemaChecker().complaint(about: result, answering: request.call.method) == nil)
            if let shown { #expect(names(of: result) == names(of: shown["result"])) }
        }
    }

    /// The line from the daemon with the request's number that stands below it on its page, if there is one.
    private static func answer(to example: PageBlocks.Example) throws -> JSONValue? {
        guard let page = PageBlocks.pages.first(where: { $0.name == example.page })?.text,
            let place = page.range(of: example.text), let id = example.text.firstMatch(of: /"id":([0-9]+)/)?.1
        else { return nil }
        let line = page[place.upperBound...].split(separator: "\n").first {
            $0.hasPrefix(#"<- {"id":\#(id),"#)
        }
        return try line.map { try JSONReader.value(of: Array($0.dropFirst(3).utf8)) }
    }

    private func names(of value: JSONValue?) -> Set<String>? {
        (value?.object?.members.map(\.name)).map { Set($0) }
    }

    // MARK: What decode prints

    static let decoded = PageBlocks.blocks.filter { $0.text.hasPrefix(#"{"file":"a.wav""#) }

    /// Member for member and figure for figure, of the sound that `synth` makes of such a card.
    @Test(arguments: decoded) func theSwipeIsPrinted(_ example: PageBlocks.Example) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "decode-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let swipectl = ["env", "-C", folder.path, BuiltProgram.path("swipectl").path]
        let card = ";4266841088889999=080910110000046?"
        _ = try FinishedProgram(swipectl + ["synth", "--output", "a.wav", card])
        let asked = example.text.contains("\"tracks\"") ? ["--json", "--reveal"] : ["--to", "card"]
        let printed = try FinishedProgram(swipectl + ["decode"] + asked + ["a.wav"])
        let said = try JSONReader.value(of: Array(printed.output.utf8))
        #expect(try said == JSONReader.value(of: Array(example.text.utf8)))
    }

    /// The pages have such examples: a search that finds none would pass everything.
    @Test func examplesAreFound() {
        #expect(Self.configurations.count >= 4)
        #expect(Self.commands.count >= 12)
        #expect(Self.requests.count >= 4)
        #expect(Self.decoded.count == 2)
    }
}
