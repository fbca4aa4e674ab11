import Foundation
import Testing

/// What bash offers when the key is pressed, asked of bash with the script that the programs make.
@Suite(.serialized) struct CompletionTests {
    private static let programs = ["swipectl", "swiped"]
    /// Says what is offered for the line of `words`, whose last is being typed, in the folder with the files.
    private static let offered = """
        cd "$1"; shift
        . "./$1.completion"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        COMP_LINE="$*"
        COMP_POINT=${#COMP_LINE}
        COMP_TYPE=9 COMP_KEY=9
        COMPREPLY=()
        complete -p "$1" | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p' >function
        "$(cat function)" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    private func offers(_ words: [String], _ daemon: DaemonUnderTest? = nil) throws -> Set<String> {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "key-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for program in Self.programs {
            let made = try FinishedProgram([
                BuiltProgram.path(program).path, "--generate-completion-script", "bash",
            ])
            try made.output.write(
                to: folder.appending(path: "\(program).completion"), atomically: true, encoding: .utf8)
        }
        for name in ["swipe.wav", "notes.txt"] { try Data().write(to: folder.appending(path: name)) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "reports"), withIntermediateDirectories: true)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let ended = try FinishedProgram(
            ["bash", "-c", Self.offered, "bash", folder.path] + words,
            environment: [
                "PATH": "\(BuiltProgram.path("swipectl").deletingLastPathComponent().path):\(path)",
                "SWIPED_SOCKET": daemon?.socket ?? "/nonexistent/s",
            ])
        #expect(ended.status == 0, "\(ended.errors)")
        return Set(ended.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    }

    @Test(arguments: [
        ["swipectl", "decode", ""], ["swipectl", "decode", "--svg", ""],
        ["swipectl", "decode", "--formats", ""],
        ["swipectl", "quality", ""], ["swipectl", "quality", "--svg", ""],
        ["swipectl", "synth", "--output", ""], ["swipectl", "status", "--socket", ""],
        ["swipectl", "audio", "probe", "--profiles", ""], ["swiped", "--config", ""],
        ["swiped", "--socket", ""],
    ])
    func filesAreOfferedWhereFilesAreMeant(_ words: [String]) throws {
        #expect(try offers(words).isSuperset(of: ["swipe.wav", "notes.txt"]))
    }

    @Test func aFolderIsOfferedWhereOneIsMeant() throws {
        let offered = try offers(["swipectl", "audio", "probe", "--output", ""])
        #expect(offered.contains("reports") && !offered.contains("notes.txt"))
    }

    /// Of the readers that are there, and of the reader that is named: not of another maker's.
    @Test func readersAndTheirPropertiesAreOffered() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        #expect(try offers(["swipectl", "readers", ""], daemon).contains("virtual-till"))
        let properties = try offers(["swipectl", "property", "virtual-till", ""], daemon)
        #expect(properties.contains("interface_type"))
        #expect(!properties.contains("host_poll_timeout"), "that is another maker's")
        let elsewhere = try offers(["swipectl", "property", "--socket", daemon.socket, "virtual-till", ""])
        #expect(elsewhere.contains("interface_type"), "the socket that the line names")
        #expect(try !offers(["swipectl", "property", "virtual-till", ""]).contains("interface_type"))
        withExtendedLifetime(observer) {}
    }
}
