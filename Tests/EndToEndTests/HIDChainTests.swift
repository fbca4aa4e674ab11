import Foundation
import Testing

/// A report through unmodified libudev and hidapi, under umockdev, to the exact line on a client's socket.
@Suite(
    .serialized,
    .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
struct HIDChainTests {
    /// A SureSwipe report with the tracks of MagTek's published example, and the published MagneSafe V5 report.
    @Test(arguments: [
        ("0801:0002", "generated/sureswipe_hid337.hex", ""),
        ("0801:0011", "published/v5_hid856_level2.hex", " " + HIDDescriptors.magneSafeDescriptor),
    ])
    func reportThroughHidapiBecomesOneExactLine(_ ids: String, _ vector: String, _ descriptor: String) throws
    {
        let bench = Pipe()
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n", input: bench,
            inside: [HIDBenchProgram.wrapper, BuiltProgram.path("hid-bench").path, "--answer", "stall"])
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        say("plug 0 \(ids) B0A1B2C3\(descriptor)", to: bench)
        let plugged = try client.lines(through: #""event":"ready""#)
        #expect(plugged.first?.contains(#""id":"magtek-B0A1B2C3""#) == true)
        #expect(JackWords.of(plugged) == ["connect", "activate success", "ready"])
        #expect(!plugged.joined().contains("simulated"))
        say("report 0 \(try HIDDescriptors.report(vector))", to: bench)
        let line = try client.lines(through: #""event":"swipe""#).last ?? ""
        let expected =
            #"{"event":"swipe","seq":S,"time":T,"mono_ns":N,"reader":"magtek-B0A1B2C3","attachment":1,"data":{"#
            + #""card":{"kind":"payment","format":"iso7813","#
            + #""pan":{"masked":"545230******7189","length":16,"luhn":false,"brand":"mastercard"},"#
            + #""expiry":"0804","service_code":"321","name":"HOGAN/PAUL"},"tracks":[{"track":1,"status":"ok","#
            + #""masked":"%B545230******7189^HOGAN/PAUL      ^0804321****************?"},{"track":2,"#
            + #""status":"ok","masked":";545230******7189=0804321***********?"},{"track":3,"status":"ok","#
            + #""masked":";516349******0445=************?"}],"encryption":null,"#
            + #""quality":{"repaired_bits":0,"hint":null}}}"#
        // A V5 reader's encryption is known from its first report: one more event may come before the swipe.
        #expect(steady(line).replacing(/"seq":[45],/, with: #""seq":S,"#) == expected)
        if getuid() == 0 { try expectForgotten(by: daemon) }
        say("unplug 0", to: bench)
        let gone = try client.lines(through: #""event":"disconnect""#)
        #expect(JackWords.of(gone) == JackedDaemon.wayOut)
        say("plug 0 \(ids) B0A1B2C3\(descriptor)", to: bench)
        let again = try client.lines(through: #""event":"ready""#)
        #expect(again.allSatisfy { $0.contains(#""reader":"magtek-B0A1B2C3","attachment":2"#) })
        try bench.fileHandleForWriting.close()
        daemon.process.waitUntilExit()
        #expect(daemon.process.terminationStatus == 0)
    }

    /// The reader stays plugged in, and nothing of its card stays with the daemon, which the bench runs as its child.
    private func expectForgotten(by daemon: DaemonUnderTest) throws {
        let bench = daemon.process.processIdentifier
        let children = try String(contentsOfFile: "/proc/\(bench)/task/\(bench)/children", encoding: .utf8)
        let id = try #require(children.split(separator: " ").first.flatMap { Int32($0) })
        #expect(try daemon.memoryContains(daemon.socket, of: id))
        let secrets = ["5452300551227189", "5163499080020445"]
        let deadline = ContinuousClock.now + .seconds(1)
        var left = secrets
        while !left.isEmpty, .now < deadline {
            left = try left.filter { try daemon.memoryContains($0, of: id) }
        }
        #expect(try secrets.filter { try daemon.memoryContains($0, of: id) } == [])
    }

    private func say(_ line: String, to bench: Pipe) {
        try? bench.fileHandleForWriting.writeOrThrow(Data((line + "\n").utf8))
    }

}
