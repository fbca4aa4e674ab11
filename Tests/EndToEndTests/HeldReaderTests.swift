import Foundation
import Testing

/// What swipectl says of a reader that types: how it is held, and what it does while the daemon is away.
@Suite struct HeldReaderTests {
    /// A daemon of a few lines: no reader of software can be grabbed or inhibited without a kernel's device.
    private static let daemon = """
        import json, socket, sys
        reader = {"id": "keyboard-1", "kind": "keyboard", "model": "MSR90", "serial": None, "bus": "usb",
            "encryption": "clear", "state": "ready", "is_connected": True, "is_activated": True,
            "is_ready_for_swipe": True, "attachment": 1}
        if sys.argv[2]: reader["held"] = sys.argv[2]
        you = {"uid": 0, "roles": ["status"], "connection": 1}
        hello = {"protocol": "swipe/1", "daemon": "swiped 0.1.0", "instance": "a", "seq": 0, "you": you,
            "limits": {"line_in": 65536, "line_out": 65536}}
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[1])
        listener.listen()
        print("listens", flush=True)
        while True:
            peer = listener.accept()[0].makefile("rw")
            print(json.dumps({"hello": hello}), file=peer, flush=True)
            for line in peer:
                request = json.loads(line)
                result = {"readers": {"readers": [reader]}, "stats": {"server": {}, "readers": {}}}
                print(json.dumps({"id": request["id"], "result": result.get(request["method"], {})}),
                    file=peer, flush=True)
        """

    @Test(arguments: [
        ("grabbed", "taken out of the focus; while the daemon is away it types into the focus"),
        ("inhibited", "its input is inhibited; it types nothing, also while the daemon is away"),
        ("", nil),
    ])
    func howItIsHeldIsSaid(_ held: String, words: String?) throws {
        let socket = FileManager.default.temporaryDirectory.appending(
            path: "typing-\(UUID().uuidString.prefix(8))"
        ).path
        defer { try? FileManager.default.removeItem(atPath: socket) }
        let daemon = try RunningProgram(["python3", "-c", Self.daemon, socket, held])
        defer { daemon.stop() }
        #expect(daemon.firstLine() == "listens")
        for command in [["readers"], ["status"], ["readers", "keyboard-1"]] {
            let ended = try FinishedProgram(
                [BuiltProgram.path("swipectl").path] + command + ["--socket", socket, "--timeout", "60"])
            #expect(ended.status == 0, "\(ended.errors)")
            let name = command.count == 2 ? "held        " : "keyboard-1: "
            if let words {
                #expect(ended.output.contains("\n\(name)\(words)\n"), "\(ended.output)")
            } else {
                #expect(!ended.output.contains("focus") && !ended.output.contains("held"))
            }
        }
    }
}
