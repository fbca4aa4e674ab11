import CardData
import Foundation
import Testing
import WaveformSynthesis

/// The whole chain, from a reader's input to the exact line on a client's socket.
@Suite(.serialized) struct VirtualReaderTests {

    @Test func hidReportBecomesOneExactLine() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("reports")
        #expect(try client.lines(through: #""event":"ready""#).count == 3)
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        let line = try client.lines(through: #""event":"swipe""#).last ?? ""
        #expect(
            steady(line)
                == #"{"event":"swipe","seq":5,"time":T,"mono_ns":N,"reader":"virtual-till","attachment":1,"#
                + #""simulated":true,"data":{"card":{"kind":"payment","format":"iso7813","pan":{"#
                + #""masked":"545230******7189","length":16,"luhn":false,"brand":"mastercard"},"expiry":"0804","#
                + #""service_code":"321","name":"HOGAN/PAUL"},"tracks":[{"track":1,"status":"ok","#
                + #""masked":"%B545230******7189^HOGAN/PAUL      ^0804321****************?"},{"track":2,"#
                + #""status":"ok","masked":";545230******7189=0804321***********?"},{"track":3,"status":"ok","#
                + #""masked":";516349******0445=************?"}],"encryption":null,"#
                + #""quality":{"repaired_bits":0,"hint":null}}}"#)
        try FileManager.default.removeItem(atPath: pipe)
        let end = try client.lines(through: #""event":"disconnect""#)
        #expect(end.count == 3)
        #expect(daemon.terminate().status == 0)
    }

    /// A line that is no report is named in the log by reader and number, and what it holds is not.
    @Test func aBadLineIsLogged() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        let pipe = daemon.makePipe("reports")
        _ = try client.lines(through: #""event":"ready""#)
        let broken = Array("# a comment\n4761739001010010 and so on\n".utf8)
        try writePipe(pipe, broken + (try VirtualSwipes.publishedReport()))
        _ = try client.lines(through: #""event":"swipe""#)
        let line = daemon.logged.split(separator: "\n").first { $0.contains("reader.bad_line") }
        #expect(line?.contains("reader=virtual-till") == true)
        #expect(line?.contains("line 2 is not a report in hexadecimal") == true)
        #expect(!daemon.logged.contains("47617390"))
        #expect(daemon.terminate().status == 0)
    }

    /// A reader that cannot be used as it is, and ids of none.
    @Test func idsThatNoDriverTakesAreTold() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n[virtual-hid keys]\ndevice = 0801:0001\nsource = {}/keys\n"
                + "[virtual-hid no]\ndevice = 1234:0002\nsource = {}/no\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.lines(through: #""id":1"#)
        for pipe in ["no", "keys"] { _ = daemon.makePipe(pipe) }
        let lines = try client.lines(through: #""event":"activate""#)
        #expect(lines.contains { $0.contains(#""event":"connect""#) && $0.contains("virtual-keys") })
        #expect(lines.last?.contains("set its interface type to HID") == true)
        for _ in 0..<12_000 where !daemon.logged.contains("event=reader.stranger") { usleep(5_000) }
        let line = daemon.logged.split(separator: "\n").first { $0.contains("reader.stranger") }
        for word in ["reader=virtual-no", "device=1234:0002"] {
            #expect(line?.contains(word) == true, "\(daemon.logged)")
        }
        #expect(daemon.terminate().status == 0)
    }

    /// Samples from a named pipe, through libasound and its plugin of ours, the stream decoder, the socket.
    @Test func soundBecomesOneExactLine() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-audio door]\nsource = {}/sound\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("sound")
        #expect(try client.lines(through: #""event":"ready""#).count == 3)
        try writePipe(pipe, try VirtualSwipes.swipeSound(";4266841088889999=080910110000046?"))
        #expect(try client.line().contains(#""event":"swipe_start","seq":4"#))
        let line = try client.line()
        #expect(
            steady(line).replacing(/"quality":{.*}}}/, with: "Q")
                == #"{"event":"swipe","seq":5,"time":T,"mono_ns":N,"reader":"virtual-door","attachment":1,"#
                + #""simulated":true,"data":{"card":{"kind":"payment","format":"iso7813","pan":{"#
                + #""masked":"426684******9999","length":16,"luhn":false,"brand":"visa"},"expiry":"0809","#
                + #""service_code":"101"},"tracks":[{"track":2,"status":"ok","format":"iso2","#
                + #""masked":";426684******9999=0809101********?"}],"encryption":null,Q"#)
        #expect(line.contains(#""direction":"forward""#))
        try FileManager.default.removeItem(atPath: pipe)
        #expect(try client.lines(through: #""event":"disconnect""#).count == 3)
        #expect(daemon.terminate().status == 0)
    }

    /// Both channels of one capture, each with a head on it.
    @Test func twoHeadsBecomeOneLine() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n[virtual-audio door]\nheads = 2\nsource = {}/sound\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("sound")
        _ = try client.lines(through: #""event":"ready""#)
        try writePipe(
            pipe, try VirtualSwipes.soundOfTwoHeads(SoundFixture.track2, SoundFixture.track1))
        let lines = try client.lines(through: #""event":"swipe","#)
        #expect(lines.map { $0.contains(#""event":"swipe_start""#) } == [true, false])
        let line = lines.last ?? ""
        #expect(line.contains(#"{"track":1,"status":"ok","format":"iso1","masked":"%B426684******9999^"#))
        #expect(line.contains(#"{"track":2,"status":"ok","format":"iso2","masked":";426684******9999="#))
        #expect(line.contains(#""name":"BUSH JR/GEORGE W.MR""#))
        #expect(daemon.terminate().status == 0)
    }

    /// A gain that is too high is told with the swipe, while it is still read.
    @Test(arguments: [26.0, 12, 0]) func clippingReachesTheEvent(decibels: Double) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-audio door]\nsource = {}/sound\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("sound")
        _ = try client.lines(through: #""event":"ready""#)
        try writePipe(
            pipe, try VirtualSwipes.swipeSound(";4266841088889999=080910110000046?", clipping: decibels))
        let line = try client.lines(through: #""event":"swipe","#).last ?? ""
        let match = try #require(line.firstMatch(of: /"clipped_percent":([0-9.]+)/))
        let percent = try #require(Double(match.output.1))
        #expect(decibels > 0 ? (20...90).contains(percent) : percent == 0, "\(line)")
        #expect(line.contains(#""masked":";426684******9999=0809101********?""#))
        #expect(daemon.terminate().status == 0)
    }

}
