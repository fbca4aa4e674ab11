import Foundation
import Testing

/// The file for Prometheus' node exporter, read as strictly as its format is written down.
@Suite(.serialized) struct MetricsTests {
    private static let configuration = """
        [access]
        full = *
        [metrics]
        file = {}/metrics.prom
        interval = 1
        [virtual-hid till]
        source = {}/reports

        """

    /// Waits for a writing that has the line; every writing on the way is whole.
    private func metrics(with line: String, _ path: String) throws -> Exposition {
        for _ in 0..<4_000 {
            if let text = try? String(contentsOfFile: path, encoding: .utf8) {
                let exposition = try Exposition(text)
                if text.contains(line + "\n") { return exposition }
            }
            usleep(5_000)
        }
        Issue.record("never written: \(line)")
        return try Exposition("")
    }

    @Test func theFileSaysWhatHappenedAndNothingOfTheCard() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("reports")
        _ = try client.lines(through: #""event":"ready""#)
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        _ = try client.lines(through: #""event":"swipe""#)
        let path = daemon.folder.appending(path: "metrics.prom").path
        let metrics = try metrics(
            with: #"swiped_swipes_total{reader="virtual-till",result="good"} 1"#, path)
        #expect(metrics.families["swiped_clients"]?.samples == ["": 1])
        #expect(
            metrics.families["swiped_reader_state"]?.samples[#"reader="virtual-till",state="ready""#] == 1)
        #expect(metrics.families["swiped_tracks_total"]?.samples[#"reader="virtual-till",status="ok""#] == 3)
        #expect(!metrics.text.contains("5452300551227189") && !metrics.text.contains("7189"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        #expect(daemon.terminate().status == 0)
        #expect(!FileManager.default.fileExists(atPath: path), "no figures of a daemon that is gone")
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test func thePageListsEveryFamily() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        _ = daemon.makePipe("reports")
        _ = try client.lines(through: #""event":"ready""#)
        let path = daemon.folder.appending(path: "metrics.prom").path
        let metrics = try metrics(with: #"swiped_reader_claimed{reader="virtual-till"} 0"#, path)
        let page = try String(
            contentsOf: BuiltProgram.root.appending(path: "docs/observability.md"), encoding: .utf8)
        let listed = Set(page.matches(of: /(?m)^\| `(swiped_[a-z_]+)/).map { String($0.1) })
        #expect(Set(metrics.families.keys) == listed)
    }

    @Test func aPlaceThatCannotBeWrittenIsSaidOnce() throws {
        let daemon = try DaemonUnderTest("[metrics]\nfile = /nonexistent/metrics.prom\ninterval = 1\n")
        _ = try daemon.connect()
        for _ in 0..<4_000 where !daemon.logged.contains("event=metrics.failed") { usleep(5_000) }
        let fields =
            #"event=metrics.failed path=/nonexistent/metrics.prom why="No such file or directory (errno 2)""#
        #expect(daemon.logged.contains(fields), "\(daemon.logged)")
        #expect(daemon.terminate().status == 0)
        #expect(daemon.logged.matches(of: /metrics\.failed/).count == 1)
    }

    @Test(arguments: [
        "a 1", "# TYPE a counter\na 1\n", "# HELP a x\n# TYPE a gauge\na{b=\"c} 1\n",
        "# HELP a x\n# TYPE a gauge\na 1\na 2\n", "# HELP a x\n# TYPE a gauge\n",
        "# HELP a x\n# TYPE a gauge\na one\n", "# HELP a x\n# TYPE a counter\na 1\n",
    ]) func theParserIsStrict(_ text: String) {
        #expect(throws: Exposition.Fault.self) { try Exposition(text) }
    }
}

/// Prometheus' text format 0.0.4 as a strict reader takes it: each family once, with help, type and samples together.
struct Exposition {
    struct Fault: Error {
        var line: String
        var why: String
    }

    struct Family {
        var type: String
        /// By labels as written, without braces.
        var samples: [String: Double] = [:]
    }

    let text: String
    private(set) var families: [String: Family] = [:]

    init(_ text: String) throws {
        self.text = text
        guard text.isEmpty || text.hasSuffix("\n") else {
            throw Fault(line: "", why: "no newline at the end")
        }
        var current = ""
        var helped = ""
        for line in text.split(separator: "\n").map(String.init) {
            if let help = line.wholeMatch(of: /# HELP ([a-z_]+) (.+)/) {
                if families[current]?.samples.isEmpty == true {
                    throw Fault(line: line, why: "no sample before")
                }
                helped = String(help.1)
            } else if let type = line.wholeMatch(of: /# TYPE ([a-z_]+) (counter|gauge)/) {
                current = String(type.1)
                guard helped == current, families[current] == nil else {
                    throw Fault(line: line, why: "order")
                }
                let isCounter = type.2 == "counter"
                guard isCounter == current.hasSuffix("_total") else { throw Fault(line: line, why: "name") }
                families[current] = Family(type: String(type.2))
            } else {
                try sample(line, current)
            }
        }
        if families[current]?.samples.isEmpty == true {
            throw Fault(line: "", why: "a family without samples")
        }
    }

    private mutating func sample(_ line: String, _ current: String) throws {
        let label = /[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*"/
        guard
            let match = line.wholeMatch(
                of: /([a-z_]+)(?:\{(.*)\})? (-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)/),
            match.1 == current, let value = Double(match.3)
        else { throw Fault(line: line, why: "not a sample of \(current)") }
        let labels = match.2.map(String.init) ?? ""
        var rest = labels[...]
        while !rest.isEmpty {
            guard let first = rest.prefixMatch(of: label) else { throw Fault(line: line, why: "labels") }
            rest = rest[first.range.upperBound...]
            if rest.first == "," {
                rest = rest.dropFirst()
            } else if !rest.isEmpty {
                throw Fault(line: line, why: "labels")
            }
        }
        guard families[current]?.samples.updateValue(value, forKey: labels) == nil else {
            throw Fault(line: line, why: "twice")
        }
    }
}
