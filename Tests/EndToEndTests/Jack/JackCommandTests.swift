import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// swipectl's commands for a reader in a headset jack, from the question to the swipe.
@Suite(.serialized, .timeLimit(.minutes(3))) struct JackCommandTests {
    private func run(_ words: [String], _ desk: JackedDaemon) throws -> FinishedProgram {
        try FinishedProgram([SwipectlRuns.swipectl] + words + ["--socket", desk.daemon.socket])
    }

    @Test func powersAReaderUpLetsItAcceptSwipesAndPowersItDown() throws {
        let desk = try JackedDaemon("type = unimag\nalways_accept_swipe = no\nactivate_on_attach = no\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"connect""#)
        // It answers the question whether it may with yes.
        let up = try run(["activate", "virtual-desk"], desk)
        #expect((up.status, up.output) == (0, "It is powered up.\n"), "\(up.errors)")
        let request = try run(["request", "virtual-desk", "--seconds", "20"], desk)
        #expect(
            (request.status, request.output) == (0, "virtual-desk accepts swipes.\n"), "\(request.errors)")
        let cancel = try run(["cancel", "virtual-desk", "--json"], desk)
        #expect((cancel.status, cancel.output) == (0, "{}\n"), "\(cancel.errors)")
        let down = try run(["deactivate", "virtual-desk"], desk)
        #expect((down.status, down.output) == (0, "virtual-desk is powered down.\n"), "\(down.errors)")
    }

    /// A count is one of tenths of a second, with a level in them or without.
    @Test func theMeterOfAClosedMicrophoneEnds() throws {
        let desk = try JackedDaemon("type = unimag\nactivate_on_attach = no\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"connect""#)
        let ended = try run(["meter", "virtual-desk", "--json", "--count", "3"], desk)
        #expect((ended.status, ended.output) == (1, ""))
        #expect(ended.errors.contains("the microphone was closed all the time"), "\(ended.errors)")
    }

    @Test func answersAQuestion() throws {
        let desk = try JackedDaemon("type = unimag\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        #expect(try run(["answer", "virtual-desk", "accept"], desk).status == 4, "nothing is in the jack")
        try desk.plug(true)
        _ = try desk.events(through: #""event":"prompt""#)
        let wrong = try run(["answer", "virtual-desk", "ok"], desk)
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("accept, decline"))
        let answered = try run(["answer", "virtual-desk", "decline"], desk)
        #expect((answered.status, answered.output) == (0, "Answered: decline.\n"), "\(answered.errors)")
        #expect(try desk.events(through: #""event":"activate""#).last == "activate declined")
        #expect(try run(["answer", "virtual-desk", "decline"], desk).errors.contains("nothing is asked"))
    }

    @Test func setsWhatGetShowsAndNamesTheKind() throws {
        let desk = try JackedDaemon("type = unimag\n")
        _ = try desk.input(saying: "nothing is in the jack")
        let set = try run(["set", "virtual-desk", "volume_to_max=no", "swipe_timeout_s=7"], desk)
        #expect(
            (set.status, set.output) == (0, "virtual-desk: volume_to_max=no, swipe_timeout_s=7\n"),
            "\(set.errors)")
        #expect(
            try run(["reader-type", "virtual-desk", "passive"], desk).output.contains("of the type passive"))
        let got = try run(["get", "virtual-desk"], desk).output
        #expect(got.contains(/volume_to_max +no +set/) && got.contains(/swipe_timeout_s +7 +set/))
        #expect(got.contains(/type +passive +set/))
        let search = try run(["autodetect", "virtual-desk"], desk)
        #expect(search.status == 1)
        #expect(search.errors.contains("nothing is in the jack"))
    }

    @Test func asksForASignOfLife() throws {
        let desk = try JackedDaemon("type = ips\n")
        let jack = try desk.ready(with: .battery(.ips))
        defer { jack.stop() }
        let test = try run(["test", "virtual-desk"], desk)
        #expect((test.status, test.output) == (0, "The reader answered.\n"), "\(test.errors)")
        #expect(test.errors.contains("a short, loud tone on the headset jack"))
        let json = try run(["test", "virtual-desk", "--json"], desk)
        #expect(
            json.output.contains(#""event":"test_complete""#) && json.output.contains(#""answered":true"#))
    }
}
