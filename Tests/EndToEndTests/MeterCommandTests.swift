import CardData
import Foundation
import Testing
import WaveformSynthesis

/// `swipectl meter` beside a daemon whose virtual reader gives sound of known levels.
@Suite(.serialized, .timeLimit(.minutes(3))) struct MeterCommandTests {
    private static let swipectl = BuiltProgram.path("swipectl").path
    private static let rate = 48_000
    private static let card = ";4266841088889999=080910110000046?"

    /// Noise at -60 dB and a hum of 50 Hz at -50 dB of full scale.
    private static func quiet(seconds: Double) -> [Int16] {
        var generator = SystemRandomNumberGenerator()
        return (0..<Int(seconds * Double(rate))).map { index in
            // Evenly spread over a width of the square root of twelve has a power of one.
            let noise = Double.random(in: -0.5...0.5, using: &generator) * 12.0.squareRoot() * 32.768
            let hum = 103.62 * 2.0.squareRoot() * sin(2 * .pi * 50 * Double(index) / Double(rate))
            return Int16((noise + hum).rounded())
        }
    }

    private static func bytes(_ samples: [Int16]) -> [UInt8] {
        samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private static func sound() throws -> [UInt8] {
        var recipe = StripeRecipe(bits: try TrackFormat.iso2.bits(of: Array(card.utf8)), bitsPerInch: 75)
        recipe.sampleRate = rate
        recipe.level = -24
        let swipe = StripeSynthesizer.samples(recipe, seed: 1)
        return bytes(quiet(seconds: 9) + swipe + quiet(seconds: 2))
    }

    /// A daemon whose reader is plugged in, and the pipe that its sound comes from.
    private func start(roles: String = "masked = *") throws -> (DaemonUnderTest, LineClient, String) {
        let daemon = try DaemonUnderTest("[access]\n\(roles)\n[virtual-audio door]\nsource = {}/sound\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("sound")
        _ = try client.lines(through: #""event":"ready""#)
        return (daemon, client, pipe)
    }

    private func lines(_ program: RunningProgram) -> [[String: Any]] {
        var lines: [[String: Any]] = []
        while case let line = program.firstLine(), !line.isEmpty {
            if let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] {
                lines.append(object)
            }
        }
        return lines
    }

    private static func median(_ values: [Int]) -> Int? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }

    @Test func theLinesHaveWhatTheSoundWasMadeWith() throws {
        let (daemon, client, pipe) = try start()
        let sound = try Self.sound()
        let writing = Thread { try? writePipe(pipe, sound) }
        writing.start()
        let meter = try RunningProgram([
            Self.swipectl, "meter", "--socket", daemon.socket, "--json", "--count", "125", "virtual-door",
        ])
        let first = meter.firstLine()
        #expect(first.contains(#""advice":"swipe""#), "\(first)")
        let lines = lines(meter)
        let levels = lines.compactMap { $0["level"] as? [String: Any] }
        #expect(levels.count == 124)
        // Before the card: with the pipe's end silence comes, and one level is of both.
        let card = try #require(levels.firstIndex { $0["peak_db"] as? Int ?? -120 > -30 })
        // Where this machine is busy, the pipe runs dry, and silence is in the one level or the other.
        let before = levels[..<card].filter { $0["open"] as? Bool == false && $0["hum"] != nil }
        let hums = before.compactMap { $0["hum"] as? [String: Int] }
        #expect(abs(try #require(Self.median(before.compactMap { $0["floor_db"] as? Int })) + 50) <= 1)
        #expect(Self.median(hums.compactMap { $0["hz"] }) == 50)
        #expect(abs(try #require(Self.median(hums.compactMap { $0["db"] })) + 50) <= 1)
        let passage = levels.filter { $0["open"] as? Bool == true && $0["floor_db"] != nil }
        #expect(abs(try #require(passage.compactMap { $0["peak_db"] as? Int }.max()) + 24) <= 1)
        // The beginning of the noise is a swipe of its own, which nobody can read.
        let swipes = lines.compactMap { $0["swipe"] as? [String: Any] }
        let read = swipes.compactMap { ($0["tracks"] as? [[String: Any]])?.first?["status"] as? String }
        #expect(read.contains("ok"), "\(read)")
        let gain = try #require(lines.last { $0["gain"] != nil }?["gain"] as? [String: Any])
        #expect(gain["advice"] as? String == "raise")
        #expect(abs(try #require(gain["db"] as? Int) - 15) <= 1)
        #expect(!"\(lines)".contains("426684"))
        withExtendedLifetime(client) {}
    }

    @Test func aMonitorMayNot() throws {
        let (daemon, client, _) = try start(roles: "masked =\nstatus = *\nadmin =")
        let ended = try FinishedProgram([
            Self.swipectl, "meter", "--socket", daemon.socket, "--json", "virtual-door",
        ])
        #expect(ended.status == 5)
        #expect(ended.errors.contains("'levels' needs more than the role status"), "\(ended.errors)")
        withExtendedLifetime(client) {}
    }

    @Test func whatHasNoLevelsSaysSo() throws {
        let (daemon, client, _) = try start()
        func run(_ words: [String]) throws -> FinishedProgram {
            try FinishedProgram([Self.swipectl, "meter", "--socket", daemon.socket] + words)
        }
        #expect(try run(["--json", "nobody"]).status == 4)
        let piped = try run(["virtual-door"])
        #expect(piped.status == 2 && piped.errors.contains("use --json"), "\(piped.errors)")
        withExtendedLifetime(client) {}
    }

    /// In a terminal of each width: what is there fits, and Ctrl-C leaves everything as it was.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "tmux is not here"),
        arguments: [40, 80, 200])
    func theTerminalIsFilledAndLeft(columns: Int) throws {
        let (daemon, client, _) = try start()
        let tmux = try Tmux(columns: columns, socket: daemon.folder.appending(path: "tmux").path)
        try tmux.type(
            "echo before; stty -a | grep -o '.echo '; swipectl() { NO_COLOR=1 '\(Self.swipectl)' \"$@\"; }")
        try tmux.type("swipectl meter --socket \(daemon.socket) virtual-door")
        var screen = try tmux.screen { $0.contains("gate closed") }
        #expect(
            screen.contains("swipectl meter  virtual-door") && screen.contains("Ctrl-C ends"), "\(screen)")
        #expect(!screen.contains("before"))
        #expect(screen.split(separator: "\n").allSatisfy { $0.count <= columns })
        #expect(!(try tmux.screen(coloured: true) { _ in true }).contains("\u{1B}[3"))
        try tmux.resize(columns: columns / 2 + 5)
        screen = try tmux.screen { $0.contains("gate closed") && $0.contains("gain") }
        #expect(screen.split(separator: "\n").allSatisfy { $0.count <= columns / 2 + 5 })
        try tmux.resize(columns: columns)
        try tmux.press("C-c")
        try tmux.type("echo \"left $?\"; stty -a | grep -o '.echo '")
        screen = try tmux.screen { $0.contains("left 130") }
        #expect(screen.contains("before"), "the screen from before is back: \(screen)")
        #expect(!screen.contains("-echo"))
        withExtendedLifetime(client) {}
    }
}
