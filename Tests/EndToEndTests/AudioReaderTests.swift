import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// A simulated reader in the jack of a virtual sound card, and the whole daemon: plug, question, power-up, swipe, unplug.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AudioReaderTests {
    private static let quietVolume = " 40  40 1 1\n"

    /// A virtual card with everything, in the folder of a daemon.
    private static func card(_ more: String) -> String {
        """
        [access]
        masked = *
        full = *
        admin = *
        [virtual-audio desk]
        source = {}/sound
        sink = {}/played
        jack = {}/jack
        volume = {}/volume
        \(more)
        """ + "\n"
    }

    private func start(_ more: String) throws -> (DaemonUnderTest, LineClient) {
        let daemon = try DaemonUnderTest(Self.card(more))
        for name in ["jack", "played"] { _ = daemon.makePipe(name) }
        try write(Self.quietVolume, to: "volume", of: daemon)
        _ = daemon.makePipe("sound")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        return (daemon, client)
    }

    private func write(_ text: String, to name: String, of daemon: DaemonUnderTest) throws {
        try Data(text.utf8).write(to: daemon.folder.appending(path: name))
    }

    private func volume(of daemon: DaemonUnderTest) -> String {
        (try? String(contentsOf: daemon.folder.appending(path: "volume"), encoding: .utf8)) ?? ""
    }

    private func reader(_ kind: ReaderSimulator.Kind, in daemon: DaemonUnderTest) -> SimulatedJack {
        let path = { (name: String) in daemon.folder.appending(path: name).path }
        return SimulatedJack(ReaderSimulator(kind, rate: 48_000), source: path("sound"), sink: path("played"))
    }

    private func plug(_ isIn: Bool, _ daemon: DaemonUnderTest) throws {
        try writePipe(daemon.folder.appending(path: "jack").path, (isIn ? "1" : "0").utf8)
    }

    private func names(_ lines: [String]) -> [String] {
        lines.compactMap { $0.firstMatch(of: /"event":"([a-z_]+)"/).map { String($0.1) } }
    }

    private func promptID(_ line: String?) throws -> String {
        String(try #require(line?.firstMatch(of: /"event":"prompt".*"id":"([0-9]+)"/)).1)
    }

    @Test func uniMagFromPlugToUnplug() throws {
        let (daemon, client) = try start("type = unimag\ninitializing_message =\n")
        let jack = reader(.uniMag(AcousticProfile.uniMagProfiles[0]), in: daemon)
        defer { jack.stop() }
        try plug(true, daemon)
        let asked = try client.lines(through: #""event":"prompt""#)
        #expect(names(asked) == ["connect", "prompt"])
        #expect(asked.last?.contains(#""kind":"activation","text":"A card reader may be"#) == true)
        let prompt = try promptID(asked.last)
        client.send(#"{"id":2,"method":"claim","params":{"reader":"virtual-desk"}}"#)
        _ = try client.lines(through: #""id":2"#)
        client.send(
            #"{"id":3,"method":"answer_prompt","params":{"reader":"virtual-desk","prompt":"\#(prompt)","answer":"maybe"}}"#
        )
        #expect(try client.lines(through: #""id":3"#).last?.contains("params.invalid") == true)
        client.send(
            #"{"id":4,"method":"answer_prompt","params":{"reader":"virtual-desk","prompt":"\#(prompt)","answer":"accept"}}"#
        )
        let ready = names(try client.lines(through: #""event":"ready""#))
        #expect(ready == ["prompt_closed", "update", "activate", "ready"])
        #expect(volume(of: daemon) == "100 100 1 1\n")
        var generator = SeededGenerator(state: 7)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        let swiped = try client.lines(through: #""event":"ready""#)
        #expect(names(swiped).contains("swipe") && names(swiped).suffix(2) == ["unready", "ready"])
        #expect(swiped.contains { $0.contains(#""reason":"refreshing""#) })
        client.send(#"{"id":5,"method":"request_swipe","params":{"reader":"virtual-desk"}}"#)
        #expect(try client.lines(through: #""id":5"#).last?.contains("reader.automatic") == true)
        client.send(#"{"id":6,"method":"set","params":{"reader":"virtual-desk","swipe_timeout_s":3}}"#)
        #expect(try client.lines(through: #""id":6"#).last?.contains(#""result""#) == true)
        try plug(false, daemon)
        let gone = names(try client.lines(through: #""event":"disconnect""#))
        #expect(gone.suffix(3) == ["unready", "deactivate", "disconnect"])
        #expect(volume(of: daemon) == Self.quietVolume)
        #expect(daemon.terminate().status == 0)
    }

    /// Nobody is there to answer.
    @Test func aQuestionThatNobodyAnswersIsDeclined() throws {
        let (daemon, client) = try start("type = unimag\nprompt_timeout_s = 1\n")
        try plug(true, daemon)
        let lines = try client.lines(through: #""event":"activate""#)
        #expect(names(lines) == ["connect", "prompt", "prompt_closed", "activate"])
        #expect(lines.contains { $0.contains(#""end":"timeout""#) })
        #expect(lines.last?.contains(#""result":"declined""#) == true)
        #expect(volume(of: daemon) == Self.quietVolume)
        #expect(daemon.terminate().status == 0)
    }

    /// The claimant goes while the question is open: the next one finds it among the readers.
    @Test func aQuestionOutlivesItsClaimant() throws {
        let (daemon, client) = try start("type = unimag\nprompt_timeout_s = 60\n")
        let jack = reader(.uniMag(AcousticProfile.uniMagProfiles[0]), in: daemon)
        defer { jack.stop() }
        try plug(true, daemon)
        let prompt = try promptID(try client.lines(through: #""event":"prompt""#).last)
        var first: LineClient? = try daemon.connect()
        first?.send(#"{"id":1,"method":"claim","params":{"reader":"virtual-desk"}}"#)
        _ = try first?.line()
        first = nil
        _ = try client.lines(through: #""event":"claim_released""#)
        client.send(#"{"id":2,"method":"readers"}"#)
        let listed = try client.lines(through: #""id":2"#).last ?? ""
        #expect(listed.contains(#""prompt":{"id":"\#(prompt)","kind":"activation""#))
        client.send(
            #"{"id":3,"method":"answer_prompt","params":{"reader":"virtual-desk","prompt":"\#(prompt)","answer":"decline"}}"#
        )
        let lines = try client.lines(through: #""event":"activate""#)
        #expect(lines.last?.contains(#""result":"declined""#) == true)
        #expect(daemon.terminate().status == 0)
    }

    /// Killed with the volume raised: the next daemon puts it back.
    @Test func aKilledDaemonLeavesNoVolumeBehind() throws {
        let (daemon, client) = try start(
            "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\n")
        let jack = reader(.uniMag(AcousticProfile.uniMagProfiles[0]), in: daemon)
        try plug(true, daemon)
        #expect(
            names(try client.lines(through: #""event":"ready""#)) == [
                "connect", "update", "activate", "ready",
            ])
        #expect(volume(of: daemon) == "100 100 1 1\n")
        kill(daemon.process.processIdentifier, SIGKILL)
        daemon.process.waitUntilExit()
        jack.stop()
        let text = Self.card("type = unimag\nactivate_on_attach = no\n[server]\nstate = {}\n")
        let next = try DaemonUnderTest(text.replacing("{}", with: daemon.folder.path))
        let other = try next.connect()
        other.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try other.line()
        try plug(true, daemon)
        // The card has been opened once its microphone is open.
        while true {
            other.send(#"{"id":2,"method":"readers"}"#)
            if try other.lines(through: #""id":2"#).last?.contains(#""microphone":"open""#) == true { break }
        }
        #expect(volume(of: daemon) == Self.quietVolume)
        #expect(next.terminate().status == 0)
    }

    /// What is found out is expected from now on, here over a restart too.
    @Test func autodetectFindsAUniMagAndRemembersIt() throws {
        let (daemon, client) = try start("type = autodetect\nremember_autodetect = yes\n")
        let jack = reader(.uniMag(AcousticProfile.uniMagProfiles[0]), in: daemon)
        defer { jack.stop() }
        try plug(true, daemon)
        let lines = try client.lines(through: #""event":"autodetect_complete""#)
        #expect(names(lines) == ["autodetect_start", "update", "autodetect_complete"])
        #expect(lines.last?.contains(#""result":"unimag""#) == true)
        #expect(lines[1].contains(#""kind":"unimag""#) && lines[1].contains(#""is_activated":true"#))
        let file = daemon.folder.appending(path: "reader-type-desk")
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline, !FileManager.default.fileExists(atPath: file.path) {
            usleep(2_000)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "unimag\n")
        #expect(daemon.terminate().status == 0)
    }
}
