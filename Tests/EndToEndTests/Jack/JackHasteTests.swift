import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// Clients that are faster than a sound card: nothing stays on, and nobody misses a beginning or an end.
@Suite(.serialized, .timeLimit(.minutes(4))) struct JackHasteTests {
    /// What asks for a reader of each kind, as lines of requests that go out in one piece.
    private func send(_ methods: [(String, String)], from first: Int, on desk: JackedDaemon) {
        let lines = methods.enumerated().map { index, method in
            #"{"id":\#(first + index),"method":"\#(method.0)","params":{"reader":"\#(JackedDaemon.reader)""#
                + method.1 + "}}\n"
        }
        desk.client.send(bytes: Array(lines.joined().utf8))
    }

    private func types(_ types: [String]) -> [(String, String)] {
        types.map { ("set_audio_reader", #","type":"\#($0)""#) }
    }

    /// A card that is slower than its claimant, and more commands than may wait for it: what stops something is never among
    /// those that are lost.
    @Test func aHurriedClaimantLeavesNothingOn() throws {
        let desk = try JackedDaemon(
            "type = unimag\nactivate_on_attach = no\nactivate_without_prompting = yes\ninitializing_message =\n"
        )
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"connect""#)
        try desk.claim()
        for round in 1...2 {
            let (events, _) = try desk.ask("activate")
            _ = try desk.events(events, to: "ready")
            // The tone stops, then the card holds what puts the volume back, and all that is behind it.
            let held = try HeldMixer(of: desk)
            try desk.ask("deactivate")
            let pairs = (0..<22).flatMap { _ in [("activate", ""), ("cancel_activation", "")] }
            send(pairs, from: round * 1_000, on: desk)
            _ = try desk.client.lines(through: "{\"id\":\(round * 1_000 + pairs.count - 1),")
            try held.release()
            #expect(desk.settlesOn("it is not activated"), "the microphone is still open")
            #expect(desk.isSinkFree && desk.descriptors(of: "sound") == 0)
            #expect(desk.volumeIs(JackedDaemon.quietVolume))
            withExtendedLifetime(held) {}
        }
        #expect(desk.daemon.terminate().status == 0)
    }

    /// A driver whose life ended before it began: the next one's `connect` is one all the same.
    @Test func nobodyMissesABeginning() throws {
        let desk = try JackedDaemon("type = unimag\nactivate_without_prompting = yes\n")
        let jack = desk.insert(.silence)
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""kind":"initializing""#)
        send(types(["none", "passive", "ips"]), from: 500, on: desk)
        let words = try desk.events(through: #""event":"ready""#)
        let attachments = words.filter { $0 == "connect" || $0.hasPrefix("disconnect") }
        #expect(attachments == ["disconnect configuration", "connect"])
        #expect(words.suffix(2) == ["activate success", "ready"])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// The other way round: a successor that never began to live ends what its predecessor was.
    @Test func nobodyMissesAnEnd() throws {
        let desk = try JackedDaemon("type = ips\n")
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        desk.client.patience = .seconds(10)
        send(types(["passive", "none"]), from: 500, on: desk)
        let words = try desk.events(through: #""event":"disconnect""#)
        #expect(words.prefix(2) == ["unready deactivated", "deactivate requested"])
        #expect(words.last == "disconnect configuration")
        #expect(desk.daemon.terminate().status == 0)
    }

    enum Departure: CaseIterable { case unplugged, replaced, asleep, broken }

    /// Whoever asked for a test hears its result, whatever becomes of the reader meanwhile.
    @Test("a test has a result", arguments: Departure.allCases)
    func aTestHasAResult(departure: Departure) throws {
        let desk = try JackedDaemon("type = ips\n")
        let jack = try desk.ready(with: .headphone)
        defer { jack.stop() }
        try desk.claim()
        try desk.ask("test_communication")
        var words: [String] = []
        switch departure {
        case .unplugged: try desk.plug(false)
        case .replaced: words = try desk.ask("set_audio_reader", #","type":"passive""#).events
        case .asleep: desk.putToSleep()
        case .broken: unlink(desk.path("sound"))
        }
        words = try desk.events(
            words, to: departure == .unplugged || departure == .broken ? "disconnect" : "ready")
        let why =
            switch departure {
            case .unplugged, .broken: "unready disconnected"
            case .replaced: "unready deactivated"
            case .asleep: "unready suspended"
            }
        let told = words.filter { $0.hasPrefix("test_complete") || $0.hasPrefix("unready") }
        #expect(told == ["test_complete unanswered", why])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)
    }
}
