import Foundation
import Testing

/// The examples that people copy, run as they stand, and the programs that people run.
@Suite(.serialized) struct ExampleTests {
    @Test(arguments: [
        (["python3", "examples/swipes.py"], "virtual-till 545230******7189"),
        (["examples/swipes.sh"], "swiped: 545230******7189"),
    ])
    func clientPrintsTheSwipe(program: [String], line: String) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        let before = try requests(observer)
        let client = try RunningProgram(program + [daemon.socket])
        // Until the daemon has counted the client's request: a swipe before that would not be its.
        var asked: Int64 = 1
        while try requests(observer) - before <= asked { asked += 1 }
        let pipe = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        try writePipe(pipe, try VirtualReaderTests.publishedReport())
        #expect(client.firstLine() == line)
        client.stop()
    }

    /// How many requests the daemon has counted, this one included.
    private func requests(_ client: LineClient) throws -> Int64 {
        client.send(#"{"id":"requests","method":"stats"}"#)
        let answer = try client.lines(through: #""id":"requests""#).last ?? ""
        let count = try #require(answer.firstMatch(of: /"requests":([0-9]+)/)).1
        return try #require(Int64(count))
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
