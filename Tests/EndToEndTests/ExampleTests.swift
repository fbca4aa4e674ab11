import Foundation
import Testing

/// The examples that people copy, run as they stand, and the programs that people run.
@Suite(.serialized) struct ExampleTests {
    @Test(arguments: [
        (["python3", "examples/swipes.py"], "virtual-till 545230******7189"),
        (["examples/swipes.sh"], "swiped: 545230******7189"),
        (["clients/shell/watch"], "545230******7189"),
    ])
    func clientPrintsTheSwipe(program: [String], line: String) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        let client = try observer.waitForRequests { try RunningProgram(program + [daemon.socket]) }
        let pipe = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        #expect(client.firstLine() == line)
        client.stop()
    }

    /// A card without an account number reads well: its kind stands for it, not "unreadable".
    @Test(arguments: [
        (["python3", "examples/swipes.py"], "virtual-till other"), (["examples/swipes.sh"], "swiped: other"),
        (["clients/shell/watch"], "other"),
    ])
    func clientPrintsTheKindOfACardWithoutANumber(program: [String], line: String) throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n[virtual-hid till]\ndevice = 0801:0002\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        let client = try observer.waitForRequests { try RunningProgram(program + [daemon.socket]) }
        let pipe = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        try writePipe(pipe, sureSwipeReport(track2: ";0000012345?"))
        #expect(client.firstLine() == line)
        client.stop()
    }

    /// A SureSwipe report (MagTek 99875191): 3-5 lengths, 117 track 2.
    private func sureSwipeReport(track2: String) -> [UInt8] {
        var report = [UInt8](repeating: 0, count: 337)
        report[4] = UInt8(track2.utf8.count)
        report.replaceSubrange(117..<117 + track2.utf8.count, with: track2.utf8)
        return Array((report.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n").utf8)
    }

    /// The Python client as a program: the daemon's events, each as a line of JSON.
    @Test func thePythonClientPrintsEvents() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        let client = try observer.waitForRequests {
            try RunningProgram(["python3", "clients/python/swiped.py", daemon.socket])
        }
        let pipe = daemon.makePipe("reports")
        for event in ["connect", "activate", "ready"] {
            #expect(client.firstLine().hasPrefix("{\"event\": \"\(event)\""))
        }
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        var line = client.firstLine()
        while line.contains("\"update\"") { line = client.firstLine() }
        #expect(line.contains("\"masked\": \"545230******7189\""))
        client.stop()
    }

    /// The README's Swift lines, compiled here as they stand there.
    @Test(.timeLimit(.minutes(5))) func theSwiftLinesPrintTheSwipe() async throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        let (lines, printed) = AsyncStream<String>.makeStream()
        let client = try observer.waitForRequests {
            Task { [socket = daemon.socket] in
                try await ReadmeLines.run(socket: socket) { printed.yield($0) }
            }
        }
        let pipe = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        #expect(await lines.first { _ in true } == "545230******7189")
        client.cancel()
        let readme = try String(contentsOf: BuiltProgram.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(
            contentsOf: BuiltProgram.root.appending(path: "Tests/EndToEndTests/Support/ReadmeLines.swift"),
            encoding: .utf8)
        let block = try #require(readme.firstMatch(of: /`{3}swift\n([^`]*)`{3}/)).1
        let compiled = source.split(separator: "\n").map { $0.drop { $0 == " " } }
        for line in block.split(separator: "\n") {
            #expect(compiled.contains(line.drop { $0 == " " }), "\(line)")
        }
    }

    @Test func theReadmeShowsTheExamples() throws {
        let readme = try String(contentsOf: BuiltProgram.root.appending(path: "README.md"), encoding: .utf8)
        for name in ["swipes.py", "swipes.sh"] {
            let file = BuiltProgram.root.appending(path: "examples/\(name)")
            let example = try String(contentsOf: file, encoding: .utf8)
            #expect(
                readme.contains("```\(name.hasSuffix("py") ? "python" : "sh")\n\(example)```"),
                "\(name) changed")
        }
    }
}
