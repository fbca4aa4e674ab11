import Foundation

/// `swipectl record` of a node that umockdev shows, as a user runs it who types that it is a test card.
struct BenchedRecording {
    private static let mostLines = 100

    let file: String
    /// What it wrote to its terminal so far.
    private(set) var said: [String] = []
    private let bench = Pipe()
    private let program: RunningProgram

    /// - Parameter flags: as a shell has them.
    init(in folder: URL, _ flags: String = "") throws {
        file = folder.appending(path: "r.jsonl").path
        let line =
            "until [ -e /dev/hidraw0 ]; do sleep 0.05; done; echo test card | "
            + "'\(BuiltProgram.path("swipectl").path)' record /dev/hidraw0 --output '\(file)' \(flags) 2>&1; "
            + "echo \"left $?\""
        program = try RunningProgram(
            [
                HIDBenchProgram.wrapper, BuiltProgram.path("hid-bench").path, "--answer", "stall", "sh", "-c",
                line,
            ], input: bench)
    }

    /// - Parameter device: its ids, its serial number and its report descriptor.
    mutating func plug(_ device: String) {
        say("plug 0 " + device)
        listen(for: "swipe now")
    }

    /// One report; whoever sends another waits first: umockdev's node does not tell where one ends.
    func send(_ report: String) { say("report 0 " + report) }

    func wait(forLines count: Int) throws {
        while try lines() < count { usleep(2_000) }
    }

    /// Hears what it says when its device is gone.
    mutating func unplug() throws {
        say("unplug 0")
        listen(for: "left ")
        try close()
    }

    func close() throws { try bench.fileHandleForWriting.close() }

    mutating func listen(for words: String) {
        repeat {
            said.append(program.firstLine())
        } while !(said.last ?? "").contains(words) && said.count < Self.mostLines && said.last != ""
    }

    func lines() throws -> Int {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
    }

    private func say(_ words: String) {
        try? bench.fileHandleForWriting.writeOrThrow(Data((words + "\n").utf8))
    }
}
