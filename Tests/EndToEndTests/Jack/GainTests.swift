import CardData
import Foundation
import Testing
import WaveformSynthesis

/// The gain of a reader's input: by the configuration, by a client, by the meter; and what is left of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct GainTests {
    private static let found = " 40  40 1 1\n"

    private final class Desk {
        let daemon: DaemonUnderTest
        let client: LineClient
        private var requests = 0

        init(
            _ settings: String, files: [String: String] = ["microphone": GainTests.found], jack: Bool = false
        )
            throws
        {
            daemon = try DaemonUnderTest(
                GainTests.configuration(settings, jack: jack), files: files)
            client = try daemon.connect()
            client.send(#"{"id":"s","method":"subscribe"}"#)
            _ = try client.line()
            _ = daemon.makePipe("jack")
            _ = daemon.makePipe("sound")
            if !jack { _ = try client.lines(through: #""event":"ready""#) }
        }

        var gain: String { (try? String(contentsOfFile: path("microphone"), encoding: .utf8)) ?? "" }
        func path(_ name: String) -> String { daemon.folder.appending(path: name).path }

        /// What the daemon does of itself it does while nobody waits.
        func isPutBack(_ text: String) -> Bool {
            let deadline = ContinuousClock.now + .seconds(10)
            while !(gain == text && records.isEmpty), .now < deadline { usleep(2_000) }
            return gain == text && records.isEmpty
        }

        var records: [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)) ?? []
            return names.filter { $0.hasPrefix("gain-") }
        }

        /// What an answer says after `"result"`, or `"error"`.
        func ask(_ method: String, _ parameters: String = "") throws -> String {
            requests += 1
            client.send(
                #"{"id":\#(requests),"method":"\#(method)","params":{"reader":"virtual-desk"\#(parameters)}}"#
            )
            return try client.lines(through: "{\"id\":\(requests),").last ?? ""
        }

        func inForce() throws -> String {
            let answer = try ask("get")
            return answer.firstMatch(of: /"gain":\{[^}]*\}(,"gain_range_db":[0-9]+)?/).map { String($0.0) }
                ?? ""
        }

        func reload() throws {
            client.send(#"{"id":"r","method":"reload"}"#)
            _ = try client.lines(through: #""id":"r""#)
        }

        func gainIs(_ text: String) -> Bool {
            let deadline = ContinuousClock.now + .seconds(10)
            while gain != text, .now < deadline { usleep(2_000) }
            return gain == text
        }
    }

    private static func configuration(_ settings: String, jack: Bool = false) -> String {
        "[access]\nmasked = *\nfull = *\nadmin = *\n[server]\nstate = {}\n[virtual-audio desk]\nsource = {}/sound\n"
            + (jack ? "jack = {}/jack\n" : "") + settings
    }

    @Test("is what the configuration says while the reader is there, and put back when the daemon ends")
    func configured() throws {
        let desk = try Desk("microphone = {}/microphone\ngain = 70\n")
        #expect(desk.gainIs(" 70  70 1 1\n"))
        #expect(
            try desk.inForce() == #""gain":{"value":70,"source":"configuration"},"gain_range_db":40"#)
        #expect(try desk.ask("set", #","gain":30"#).contains(#""result":{}"#))
        #expect(desk.gain == " 30  30 1 1\n")
        #expect(try desk.inForce() == #""gain":{"value":30,"source":"set"},"gain_range_db":40"#)
        try desk.reload()
        #expect(try desk.inForce().contains(#""gain":{"value":70,"source":"configuration"}"#))
        #expect(desk.gain == " 70  70 1 1\n")
        #expect(desk.daemon.terminate().status == 0)
        #expect(desk.gain == Self.found && desk.records == [])
    }

    @Test("is left alone where nothing says what it is")
    func leftAlone() throws {
        let desk = try Desk("microphone = {}/microphone\n")
        #expect(desk.gain == Self.found && desk.records == [])
        #expect(try desk.inForce() == #""gain":{"value":40,"source":"card"},"gain_range_db":40"#)
        #expect(try desk.ask("set", #","gain":100"#).contains(#""result":{}"#))
        #expect(desk.gain == "100 100 1 1\n" && desk.records.count == 1)
        #expect(try desk.ask("set", #","gain":101"#).contains("not within 0 and 100"))
        // It ends with what was set, and then nothing is said of it any more.
        try desk.reload()
        #expect(try desk.inForce().contains(#""source":"card""#))
        #expect(desk.gain == Self.found && desk.records == [])
        #expect(desk.daemon.terminate().status == 0)
    }

    @Test("is put back when the reader is pulled out")
    func pulledOut() throws {
        let desk = try Desk("microphone = {}/microphone\ngain = 70\n", jack: true)
        #expect(desk.gain == Self.found)
        for _ in 0..<2 {
            try writePipe(desk.path("jack"), "1".utf8)
            _ = try desk.client.lines(through: #""event":"ready""#)
            #expect(desk.gainIs(" 70  70 1 1\n"))
            try writePipe(desk.path("jack"), "0".utf8)
            #expect(desk.isPutBack(Self.found))
        }
        // What is set meanwhile holds from the next plug on.
        #expect(try desk.ask("set", #","gain":20"#).contains(#""result":{}"#))
        #expect(desk.gain == Self.found)
        try writePipe(desk.path("jack"), "1".utf8)
        #expect(desk.gainIs(" 20  20 1 1\n"))
        #expect(desk.daemon.terminate().status == 0)
        #expect(desk.gain == Self.found && desk.records == [])
    }

    @Test("is put back by the next daemon after one that was killed")
    func killed() throws {
        let desk = try Desk("microphone = {}/microphone\ngain = 70\n")
        #expect(desk.gainIs(" 70  70 1 1\n"))
        kill(desk.daemon.process.processIdentifier, SIGKILL)
        desk.daemon.process.waitUntilExit()
        #expect(desk.records.count == 1)
        let text = Self.configuration("microphone = {}/microphone\n")
        let next = try DaemonUnderTest(text.replacing("{}", with: desk.daemon.folder.path))
        _ = try next.connect()
        #expect(desk.isPutBack(Self.found))
        #expect(next.terminate().status == 0)
    }

    /// A named pipe in place of the gain's file: who opens that mixer waits without an end.
    @Test("keeps neither a reader nor its jack waiting where the mixer hangs")
    func hangs() throws {
        let desk = try Desk("microphone = {}/microphone\ngain = 70\n", files: [:], jack: true)
        _ = desk.daemon.makePipe("microphone")
        try writePipe(desk.path("jack"), "1".utf8)
        _ = try desk.client.lines(through: #""event":"ready""#)
        try writePipe(desk.path("jack"), "0".utf8)
        _ = try desk.client.lines(through: #""event":"disconnect""#)
        #expect(!desk.daemon.logged.contains("reader.gain_failed"), "that says who gives up waiting")
        // Clients wait for what they ask, and no longer than for a mixer.
        #expect(try desk.inForce() == #""gain":{"value":70,"source":"configuration"}"#)
        #expect(desk.daemon.logged.contains("reader.gain_failed"))
        #expect(desk.daemon.terminate().status == 0)
    }

    @Test("does not keep a reader from working where the card has none")
    func none() throws {
        let desk = try Desk("gain = 70\n")
        #expect(try desk.inForce() == #""gain":{"value":70,"source":"configuration"}"#)
        let answer = try desk.ask("set", #","gain":30"#)
        #expect(answer.contains("reader.unsupported") && answer.contains("the card has no gain"), "\(answer)")
        #expect(desk.daemon.terminate().status == 0)
        #expect(desk.daemon.logged.contains("reader.gain_failed"))
    }

    @Test("can be set and shown by swipectl")
    func commands() throws {
        let desk = try Desk("microphone = {}/microphone\n")
        let swipectl = BuiltProgram.path("swipectl").path
        func run(_ words: [String]) throws -> FinishedProgram {
            try FinishedProgram([swipectl, words[0], "--socket", desk.daemon.socket] + words.dropFirst())
        }
        #expect(try run(["set", "virtual-desk", "gain=65"]).output == "virtual-desk: gain=65\n")
        #expect(try run(["get", "virtual-desk"]).output.contains(/gain +65 % +set\n/))
        #expect(try run(["set", "virtual-desk", "gain=101"]).status == 2)
        #expect(desk.gain == " 65  65 1 1\n")
    }

    /// In a terminal of each width: the outline of the swipe, the key that does what is advised, and what to write to keep it.
    @Test(
        "is set by a key",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "tmux is not here"),
        arguments: [40, 80, 200])
    func key(columns: Int) throws {
        let desk = try Desk(
            "microphone = {}/microphone\nspeed = 3\n", files: ["microphone": " 50  50 1 1\n"])
        let tmux = try Tmux(columns: columns, socket: desk.path("tmux"))
        let swipectl = BuiltProgram.path("swipectl").path
        try tmux.type("NO_COLOR=1 '\(swipectl)' meter --socket \(desk.daemon.socket) virtual-desk")
        _ = try tmux.screen { $0.contains("swipe a card a few times") }
        let pipe = desk.path("sound")
        let sound = try Self.sound(quietSeconds: 9)
        let writing = Thread { try? writePipe(pipe, sound) }
        writing.start()
        // The outline comes a second after the swipe.
        var screen = try tmux.screen {
            $0.contains(/raise it by 1[45] dB: g does it/) && $0.contains("last ")
        }
        #expect(screen.contains(/raise it by 1[45] dB: g does it/), "\(screen)")
        #expect(screen.contains(/last +\|#{10,40}/), "\(screen)")
        #expect(screen.split(separator: "\n").allSatisfy { $0.count < columns }, "\(screen)")
        #expect(!(try tmux.screen(coloured: true) { _ in true }).contains("\u{1B}[3"))
        try tmux.press("g")
        screen = try tmux.screen { $0.contains("keep it: gain = 8") }
        #expect(screen.contains(/set to 8[5-9] %; keep it: gain = 8[5-9]/), "\(screen)")
        #expect(desk.gain.hasPrefix(" 8"))
        // Nothing is advised any more, and the key does nothing.
        try tmux.press("g")
        let narrow = columns / 2 + 12
        func fits(_ screen: String) -> Bool {
            screen.split(separator: "\n").allSatisfy { $0.count < narrow }
                && screen.contains("swipe a card a few times")
        }
        try tmux.resize(columns: narrow)
        // What was drawn before is cut off by the terminal, one column later.
        screen = try tmux.screen { fits($0) }
        #expect(fits(screen), "\(screen)")
        try tmux.press("C-c")
        // What is typed before the shell is back is thrown away.
        _ = try tmux.screen { $0.split(separator: "\n").last.map { $0 == "$" || $0 == "$ " } ?? false }
        try tmux.type("echo \"left $?\"")
        screen = try tmux.screen { $0.contains("left 130") }
        #expect(screen.contains("left 130"), "\(screen)")
        #expect(desk.daemon.terminate().status == 0)
        #expect(desk.gain == " 50  50 1 1\n")
    }

    /// A swipe 24 decibels under full scale in faint noise, which goes on under it: noise that begins is a passage of its own, of four
    /// seconds, and what comes in the three after it is in doubt.
    private static func sound(quietSeconds: Int) throws -> [UInt8] {
        var recipe = StripeRecipe(
            bits: try TrackFormat.iso2.bits(of: Array(";4266841088889999=080910110000046?".utf8)),
            bitsPerInch: 75)
        recipe.sampleRate = 48_000
        recipe.level = -24
        recipe.signalToNoise = nil
        let swipe = StripeSynthesizer.samples(recipe, seed: 1)
        var samples = (0..<(quietSeconds + 3) * 48_000 + swipe.count).map {
            Int16(truncatingIfNeeded: ($0 * 7_919) % 61 - 30)
        }
        for (index, sample) in swipe.enumerated() { samples[quietSeconds * 48_000 + index] += sample }
        return samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    /// A reader that is too quiet is made as loud as it should be: what the meter sets, the card does.
    @Test("is set by the meter to what it advises")
    func meter() throws {
        let desk = try Desk("microphone = {}/microphone\n", files: ["microphone": " 50  50 1 1\n"])
        let meter = try RunningProgram([
            BuiltProgram.path("swipectl").path, "meter", "--socket", desk.daemon.socket, "--json",
            "--set-gain",
            "--count", "240", "virtual-desk",
        ])
        _ = meter.firstLine()
        let pipe = desk.path("sound")
        let (first, second) = (try Self.sound(quietSeconds: 9), try Self.sound(quietSeconds: 3))
        let writing = Thread { try? writePipe(pipe, first + second) }
        writing.start()
        var set: [String] = []
        var last = ""
        var heard: [String] = []
        while case let line = meter.firstLine(), !line.isEmpty {
            if line.contains("gain_set_percent") { set.append(line) }
            if line.contains(#""swipe":"#) || line.contains(#""open":true"#) { heard.append(line) }
            if line.contains(#""advice""#) { last = line }
        }
        // 15 decibels of 40 are 37 or 38 hundredths of the range.
        #expect(set.count == 1, "\(set): \(heard)")
        #expect(set.first?.contains(/:8[5-9]\}/) == true, "\(set): \(heard)")
        #expect(last.contains(#""advice":"keep""#), "\(last)")
        #expect(desk.gain.hasPrefix(" 8"), "\(desk.gain)")
        #expect(desk.daemon.terminate().status == 0)
        #expect(desk.gain == " 50  50 1 1\n")
    }
}
