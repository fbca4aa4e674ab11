import Foundation
import Testing
import WaveformSynthesis

/// `swipectl quality` as a user runs it, on sound that was made for it.
@Suite struct QualityCommandTests {
    private static let swipectl = BuiltProgram.path("swipectl").path
    /// What is on the made cards and must be in no output.
    private static let hidden = ["4266841088889999", "10000046", "88889999"]

    private func sound(_ levels: [Double]) throws -> (SoundFixture, [String]) {
        let fixture = try SoundFixture()
        let files = try levels.enumerated().map { index, level in
            let swipe = try SoundFixture.swipe(SoundFixture.track2, seed: UInt64(index + 1)) {
                $0.level = level
                $0.speed.shape = .constant
            }
            return try fixture.write(SoundFixture.wav([swipe]), "\(index).wav")
        }
        return (fixture, files)
    }

    @Test func aTableAndAJudgement() throws {
        let (fixture, files) = try sound([-10, -10])
        let ended = try FinishedProgram([Self.swipectl, "quality"] + files)
        #expect(ended.status == 0, "\(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first?.contains("LEVEL dB") == true)
        #expect(
            lines.last
                == "Judgement: nothing to blame: read, and no figure is out of the usual (2 swipes)."
        )
        for digits in Self.hidden { #expect(!ended.output.contains(digits)) }
        withExtendedLifetime(fixture) {}
    }

    /// A window with room has rows, a narrower one a line for each figure.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "tmux is not here"),
        arguments: [40, 80, 200])
    func noRowIsBroken(columns: Int) throws {
        let (fixture, files) = try sound([-10])
        let tmux = try Tmux(columns: columns, socket: fixture.folder.appending(path: "tmux").path)
        try tmux.type("cd '\(fixture.folder.path)'; clear; '\(Self.swipectl)' quality 0.wav")
        let screen = try tmux.screen { $0.contains("Judgement") }
        #expect(screen.contains("Judgement"), "\(screen)")
        #expect(screen.contains("LEVEL dB  WEAKEST %") == (columns == 200), "\(screen)")
        #expect((screen.firstMatch(of: /LEVEL dB +-\d/) != nil) == (columns < 200), "\(screen)")
        withExtendedLifetime((fixture, files)) {}
    }

    @Test func aLineOfJSONForEachSwipe() throws {
        let (fixture, files) = try sound([-10, -48])
        let ended = try FinishedProgram([Self.swipectl, "quality", "--json"] + files)
        #expect(ended.status == 0, "\(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        let swipes = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        try #require(swipes.count == 2)
        let track = try #require((swipes[0]["tracks"] as? [[String: Any]])?.first)
        #expect(track["status"] as? String == "ok")
        let level = try #require(track["level_db"] as? Double)
        #expect(abs(level + 10) < 1)
        let speed = try #require(track["speed_cm_s"] as? Double)
        #expect(abs(speed - 25) < 0.5)
        let blame = swipes.map { ($0["judgement"] as? [String: Any])?["blame"] as? [String] }
        #expect(blame == [[], ["gain"]])
        withExtendedLifetime(fixture) {}
    }

    @Test func aDrawing() throws {
        let (fixture, files) = try sound([-10, -12, -14])
        let drawing = fixture.folder.appending(path: "q.svg").path
        let ended = try FinishedProgram([Self.swipectl, "quality", "--svg", drawing] + files)
        #expect(ended.status == 0, "\(ended.errors)")
        let svg = try String(contentsOfFile: drawing, encoding: .utf8)
        #expect(svg.hasPrefix("<svg") && svg.contains("Quality of 3 swipe(s)"))
        #expect(svg.contains("Level, dB of full scale: -14"))
        #expect(svg.matches(of: /class="goodDot"/).count >= 3 * 8)
        for digits in Self.hidden { #expect(!svg.contains(digits)) }
    }

    @Test func whatCannotBeReadIsNamedAndTheRestIsMeasured() throws {
        let (fixture, files) = try sound([-10])
        let ended = try FinishedProgram([Self.swipectl, "quality", "/nonexistent.wav"] + files)
        #expect(ended.status == 1)
        #expect(ended.errors.contains("/nonexistent.wav: No such file or directory"), "\(ended.errors)")
        #expect(ended.output.contains("Judgement: nothing to blame"))
        withExtendedLifetime(fixture) {}
    }

    /// Two swipes of a sound reader and what they speak for; as lines of JSON too. Nothing of the card is shown.
    @Test(arguments: [false, true]) func theSwipesOfAReaderAsTheyCome(json: Bool) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-audio door]\nsource = {}/sound\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("sound")
        _ = try client.lines(through: #""event":"ready""#)
        let live = try RunningProgram(
            [Self.swipectl, "quality", "--live", "virtual-door", "--socket", daemon.socket, "--swipes", "2"]
                + (json ? ["--json"] : []))
        if !json { #expect(live.firstLine().hasPrefix("TIME      cm/s   SNR dB  JITTER %")) }
        // The command is subscribed when the daemon counts it.
        try Self.awaitSecondClient(client)
        usleep(200_000)
        for seed in 1...2 {
            let swipe = try SoundFixture.swipe(SoundFixture.track2, seed: UInt64(seed)) {
                $0.sampleRate = 48_000
                $0.speed.shape = .constant
            }
            let quiet = [Int16](repeating: 0, count: 48_000)
            try writePipe(
                pipe,
                (quiet + swipe + quiet).flatMap {
                    [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
                })
            _ = try client.lines(through: #""event":"swipe""#)
            let line = live.firstLine()
            if json {
                #expect(
                    line.contains(
                        #""tracks":[{"track":2,"status":"ok"}],"quality":{"direction":"forward","speed_cm_s":2"#
                    ), "\(line)")
                #expect(line.contains(#""judgement":{"blame":[]"#))
            } else {
                #expect(line.contains(/^[0-9:]{8}  2[45]\.[0-9] .* forward +2 ok$/), "\(line)")
            }
            for digits in Self.hidden { #expect(!line.contains(digits)) }
        }
        if !json {
            #expect(
                live.firstLine()
                    == "Judgement: nothing to blame: read, and no figure is out of the usual (2 swipes)."
            )
        }
        #expect(live.status() == 0)
    }

    private static func awaitSecondClient(_ client: LineClient) throws {
        for _ in 0..<500 {
            client.send(#"{"id":"c","method":"stats"}"#)
            if try client.lines(through: #""id":"c""#).last?.contains(#""connections_open":2"#) ?? false {
                return
            }
            usleep(20_000)
        }
        Issue.record("the command did not connect")
    }

    @Test func recordingsAndAReaderAreNotMixed() throws {
        for words in [
            ["--live", "x", "y.wav"], [], ["--live", "x", "--svg", "y"], ["--swipes", "1", "y.wav"],
        ] {
            #expect(try FinishedProgram([Self.swipectl, "quality"] + words).status == 2, "\(words)")
        }
        #expect(
            try FinishedProgram([Self.swipectl, "quality", "--live", "x", "--socket", "/nonexistent/s"])
                .status
                == 3)
    }

    @Test func noSwipeIsAStatusOfItsOwn() throws {
        let fixture = try SoundFixture()
        let file = try fixture.write(
            SoundFixture.wav([Array(repeating: 0, count: 44_100)]), "silence.wav")
        let ended = try FinishedProgram([Self.swipectl, "quality", file])
        #expect(ended.status == 6)
        #expect(ended.output.isEmpty)
        #expect(ended.errors.contains("no swipe found"), "\(ended.errors)")
    }
}
