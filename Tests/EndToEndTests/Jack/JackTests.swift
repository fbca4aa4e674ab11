import Foundation
import Testing

/// The jack of a virtual sound card, from its control's element to a client's lines.
@Suite(.serialized, .timeLimit(.minutes(2))) struct JackTests {
    private static let configuration = """
        [access]
        masked = *
        admin = *
        [virtual-audio desk]
        source = {}/sound
        jack = {}/jack
        """ + "\n"

    private func start(_ more: String = "") throws -> (
        DaemonUnderTest, LineClient, jack: String, sound: String
    ) {
        let daemon = try DaemonUnderTest(Self.configuration + more)
        let jack = daemon.makePipe("jack")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        return (daemon, client, jack, daemon.makePipe("sound"))
    }

    /// The input as `readers` lists it, once it says that.
    private func input(of client: LineClient, saying text: String) throws -> String {
        while true {
            client.send(#"{"id":"in","method":"readers"}"#)
            let answer = try client.lines(through: #""id":"in""#).last ?? ""
            if answer.contains(text) { return answer }
        }
    }

    private func names(_ lines: [String]) -> [String] {
        lines.compactMap { $0.firstMatch(of: /"event":"([a-z_]+)"/).map { String($0.1) } }
    }

    /// Nothing ever comes of such a section: whoever wrote it can read that.
    @Test func aSectionWithoutACardIsToldOf() throws {
        let (daemon, _, _, _) = try start("[audio-reader counter]\ndevice = hw:CARD=Nowhere\n")
        for _ in 0..<12_000 where !daemon.logged.contains("event=reader.input_unused") { usleep(5_000) }
        #expect(daemon.logged.contains("event=reader.input_unused"), "\(daemon.logged)")
        #expect(daemon.logged.contains("audio-reader counter"))
        #expect(daemon.terminate().status == 0)
    }

    @Test func somethingInTheJackIsAReader() throws {
        let (daemon, client, jack, sound) = try start()
        let closed = try input(of: client, saying: #""plugged_in":false"#)
        #expect(closed.contains(#""readers":[],"audio_inputs":[{"id":"virtual-desk","#))
        #expect(closed.contains(#""microphone":"closed","why":"nothing is in the jack""#))
        for attachment in 1...2 {
            try writePipe(jack, "1".utf8)
            let plugged = try client.lines(through: #""event":"ready""#)
            #expect(names(plugged) == ["connect", "activate", "ready"])
            #expect(plugged.first?.contains(#""attachment":\#(attachment)"#) == true)
            let open = try input(of: client, saying: #""microphone":"open""#)
            #expect(open.contains("something is in the Mic Jack"))
            #expect(open.contains(#""is_connected":true,"is_activated":true,"is_ready_for_swipe":true"#))
            try writePipe(sound, try VirtualSwipes.swipeSound(";4266841088889999=080910110000046?"))
            #expect(
                try client.lines(through: #""event":"swipe","#).last?.contains("426684******9999") == true)
            try writePipe(jack, "0".utf8)
            let unplugged = try client.lines(through: #""event":"disconnect""#)
            #expect(names(unplugged) == ["unready", "deactivate", "disconnect"])
            #expect(unplugged.first?.contains(#""reason":"disconnected""#) == true)
            #expect(
                try input(of: client, saying: #""microphone":"closed""#).contains("nothing is in the jack"))
        }
        #expect(daemon.terminate().status == 0)
    }

    /// A plug that slides in and out for a moment is not a new reader.
    @Test func bouncesAreNoEvents() throws {
        let (daemon, client, jack, _) = try start()
        _ = try input(of: client, saying: #""plugged_in":false"#)
        try writePipe(jack, "10101".utf8)
        #expect(names(try client.lines(through: #""event":"ready""#)) == ["connect", "activate", "ready"])
        try writePipe(jack, "0101".utf8)
        try writePipe(jack, "0".utf8)
        let rest = names(try client.lines(through: #""event":"disconnect""#))
        #expect(rest == ["unready", "deactivate", "disconnect"])
        #expect(daemon.terminate().status == 0)
    }

    /// Nothing is listened to where no reader is expected; an administrator says that one is.
    @Test func typeNoneLeavesTheInputAlone() throws {
        let (daemon, client, jack, _) = try start("type = none\n")
        try writePipe(jack, "1".utf8)
        let alone = try input(of: client, saying: #""plugged_in":true"#)
        #expect(alone.contains(#""readers":[]"#) && alone.contains("its type is none"))
        client.send(
            #"{"id":2,"method":"set_audio_reader","params":{"reader":"virtual-desk","type":"passive"}}"#)
        let lines = try client.lines(through: #""event":"ready""#)
        #expect(names(lines) == ["connect", "activate", "ready"])
        client.send(#"{"id":3,"method":"claim","params":{"reader":"virtual-desk"}}"#)
        _ = try client.lines(through: #""id":3"#)
        for method in ["activate", "cancel_activation", "deactivate", "request_swipe", "cancel_swipe"] {
            client.send(#"{"id":"m","method":"\#(method)","params":{"reader":"virtual-desk"}}"#)
            let reply = try client.lines(through: #""id":"m""#).last ?? ""
            #expect(reply.contains(#""code":"reader.unsupported""#), "\(reply)")
        }
        client.send(
            #"{"id":4,"method":"answer_prompt","params":{"reader":"virtual-desk","prompt":"1","answer":"ok"}}"#
        )
        #expect(try client.lines(through: #""id":4"#).last?.contains("prompt.unknown") == true)
        client.send(#"{"id":5,"method":"set_audio_reader","params":{"reader":"virtual-desk","type":"none"}}"#)
        let gone = try client.lines(through: #""event":"claim_released""#)
        #expect(names(gone) == ["unready", "deactivate", "disconnect", "claim_released"])
        #expect(daemon.terminate().status == 0)
    }

    /// A virtual card without a jack: something is in it for as long as it is there.
    @Test func withoutAJackSomethingIsAlwaysIn() throws {
        let daemon = try DaemonUnderTest("[virtual-audio desk]\nsource = {}/sound\n")
        _ = daemon.makePipe("sound")
        let client = try daemon.connect()
        let open = try input(of: client, saying: #""microphone":"open""#)
        #expect(open.contains(#""jack":null,"plugged_in":true"#))
        #expect(open.contains("nothing shows whether it is plugged in"))
        #expect(daemon.terminate().status == 0)
    }
}
