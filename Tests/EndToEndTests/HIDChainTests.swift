import Foundation
import Testing

/// The USB hub of software that the daemon is run in.
private enum HIDBenchProgram {
    static let wrapper = "/usr/bin/umockdev-wrapper"

    static var obstacle: String? {
        guard FileManager.default.isExecutableFile(atPath: wrapper) else {
            return "umockdev is not installed"
        }
        let bench = Process()
        bench.executableURL = BuiltProgram.path("hid-bench")
        bench.standardError = FileHandle.nullDevice
        guard (try? bench.run()) != nil else { return "hid-bench is not built" }
        bench.waitUntilExit()
        return bench.terminationStatus == 77 ? "hid-bench was built without libumockdev-dev" : nil
    }
}

/// A report through unmodified libudev and hidapi, under umockdev, to the exact line on a client's socket.
@Suite(
    .serialized,
    .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
struct HIDChainTests {
    @Test func reportThroughHidapiBecomesOneExactLine() throws {
        let bench = Pipe()
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n", input: bench,
            inside: [HIDBenchProgram.wrapper, BuiltProgram.path("hid-bench").path, "--answer", "stall"])
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        say("plug 0 0801:0002 B0A1B2C3", to: bench)
        let plugged = try client.lines(through: #""event":"ready""#)
        #expect(plugged.first?.contains(#""id":"magtek-B0A1B2C3""#) == true)
        #expect(!plugged.joined().contains("simulated"))
        say("report 0 \(try Self.report())", to: bench)
        let line = try client.lines(through: #""event":"swipe""#).last ?? ""
        let expected =
            #""reader":"magtek-B0A1B2C3","attachment":1,"data":{"card":{"kind":"payment","format":"iso7813","#
            + #""pan":{"masked":"545230******7189","length":16,"luhn":false,"brand":"mastercard"},"#
            + #""expiry":"0804","service_code":"321","name":"HOGAN/PAUL"},"tracks":[{"track":1,"status":"ok","#
            + #""masked":"%B545230******7189^HOGAN/PAUL      ^0804321****************?"},{"track":2,"#
            + #""status":"ok","masked":";545230******7189=0804321***********?"},{"track":3,"status":"ok","#
            + #""masked":";516349******0445=************?"}],"encryption":null,"#
            + #""quality":{"repaired_bits":0,"hint":null}}}"#
        #expect(line.hasSuffix(expected), "\(line)")
        say("unplug 0", to: bench)
        let gone = try client.lines(through: #""event":"disconnect""#)
        #expect(gone.count == 3)
        say("plug 0 0801:0002 B0A1B2C3", to: bench)
        let again = try client.lines(through: #""event":"ready""#)
        #expect(again.allSatisfy { $0.contains(#""reader":"magtek-B0A1B2C3","attachment":2"#) })
        try bench.fileHandleForWriting.close()
        daemon.process.waitUntilExit()
    }

    private func say(_ line: String, to bench: Pipe) {
        bench.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// The SureSwipe layout with the tracks of MagTek's published example.
    private static func report() throws -> String {
        let path = "Tests/Vectors/MagTek/generated/sureswipe_hid337.hex"
        let text = try String(contentsOf: BuiltProgram.root.appending(path: path), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.first != "#" }.joined()
    }
}
