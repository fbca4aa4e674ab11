import ArgumentParser
import Glibc
import ReaderRecordings
import SwipeProtocol

/// Makes of a recording what a reader's driver can be tested with.
struct ContributeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contribute",
        abstract:
            "Make a folder of a recording that makes a reader known: for Tests/Vectors, or for a report.",
        discussion: """
            It has the reader's ids and report descriptor, its reports where a test card was recorded, and a page with questions \
            that only its owner can answer. There is no serial number in it, and of a recording of shapes no card data.
            """)

    @Option(
        help: ArgumentHelp("The folder; it must not be there yet.", valueName: "folder"),
        completion: .directory)
    var output: String

    @Argument(help: ArgumentHelp("A recording that swipectl made.", valueName: "file"), completion: .file())
    var file: String

    func run() throws {
        let recording = try ReplayCommand.recording(file)
        guard mkdir(output, 0o755) == 0 else {
            throw CommandFailure(.failure, "\(output): \(String(cString: strerror(errno)))")
        }
        let name = recording.head.type ?? String(recording.head.ids.map { $0 == ":" ? "-" : $0 })
        let isHID = recording.head.rate == nil && recording.head.type == nil
        if isHID {
            try write("\(name)_descriptor.hex", Self.header(recording) + lines(recording.head.descriptor))
        }
        switch recording.head.content {
        case .shapes: try write("\(name)_shapes.jsonl", Self.shapes(recording))
        case .testCard where recording.head.rate != nil:
            let samples = recording.reports.flatMap { $0.bytes ?? [] }
            try write(
                "\(name).wav",
                WAVHeader.bytes(
                    samples: samples.count / 2, rate: recording.head.rate ?? 0, bits: 16) + samples)
        case .testCard where recording.head.type == Self.text:
            // Text is read as it came, without a heading.
            for (index, bytes) in Self.stretches(recording).enumerated() {
                try write("\(name)_\(index + 1).txt", bytes)
            }
        case .testCard where recording.head.type != nil:
            let bytes = recording.reports.flatMap { $0.bytes ?? [] }
            try write("\(name).hex", Self.header(recording) + lines(bytes))
        case .testCard where recording.head.isTyping || recording.head.reading != nil:
            // A key, or a part of an answer, says nothing by itself: a line for each report.
            let reports = recording.reports.compactMap { recording.head.keys(in: $0.bytes ?? []) }
            let text = reports.filter { !$0.isEmpty }.map { ReaderRecording.hexadecimal($0) + "\n" }
            try write("\(name).hex", Self.header(recording) + text.joined())
        case .testCard:
            for (index, report) in recording.reports.enumerated() {
                try write("\(name)_\(index + 1).hex", Self.header(recording) + lines(report.bytes ?? []))
            }
        }
        try write("README.md", Self.questions(recording))
        try Output.result("\(output.printable): fill in README.md and send us the folder\n")
    }

    private func write(_ name: String, _ text: String) throws(CommandFailure) {
        try write(name, Array(text.utf8))
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws(CommandFailure) {
        let path = "\(output)/\(name)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(.failure, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        do throws(OutputFailure) { try Output.write(bytes, to: descriptor) } catch {
            throw CommandFailure(.failure, "\(path): \(error)")
        }
    }

    private static let text = "text-line"
    /// Longer than between the tracks of one card: what comes later is of another.
    private static let pause: Int = 1_500_000

    /// What a line brought without a pause.
    private static func stretches(_ recording: ReaderRecording) -> [[UInt8]] {
        var stretches: [[UInt8]] = []
        var last: Int?
        for report in recording.reports {
            guard let bytes = report.bytes, !bytes.isEmpty else { continue }
            if let last, report.time - last <= pause {
                stretches[stretches.count - 1] += bytes
            } else {
                stretches.append(bytes)
            }
            last = report.time
        }
        return stretches
    }

    private static func header(_ recording: ReaderRecording) -> String {
        """
        # origin: contributed
        # source: recorded with swipectl record from \([recording.head.type ?? recording.head.ids, recording.head.product.printable].filter { !$0.isEmpty }.joined(separator: ", "))

        """
    }

    /// As vectors are written: 32 bytes a line.
    private func lines(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 32).map { start in
            ReaderRecording.hexadecimal(Array(bytes[start..<min(start + 32, bytes.count)])) + "\n"
        }.joined()
    }

    /// Written anew, so that nothing comes along that somebody has put into the file.
    private static func shapes(_ recording: ReaderRecording) -> String {
        let lines =
            [ReaderRecording.line(recording.head)] + recording.reports.map { ReaderRecording.line($0) }
        return lines.map(\.text).joined()
    }

    private static func questions(_ recording: ReaderRecording) -> String {
        let surroundings =
            if recording.head.rate != nil {
                "What it is plugged into (the card's line in `/proc/asound/cards`, the plug), and at which gain:"
            } else if recording.head.type != nil {
                "The line: its speed and frame, and the adapter where there is one:"
            } else {
                "`lsusb -v -d \(recording.head.ids.lowercased())`, without its iSerial line:"
            }
        let isHID = recording.head.rate == nil && recording.head.type == nil
        let mode = isHID ? " Is it in keyboard mode, or was it switched to HID, and how" : ""
        return """
            # A reader: \(recording.head.type ?? recording.head.ids)

            - What the label says (maker, model, part number; leave the serial number out):
            - Firmware, where `swipectl readers ID` shows one:
            - Does it encrypt?\(mode.isEmpty ? "" : mode + ":")
            - Which card was swiped, and in which direction (\(recording.head.content == .testCard ? "a test card: its number as published, and where" : "any card; nothing of it is here")):
            - What `swipectl watch` showed meanwhile:
            - \(surroundings)

            """
    }
}
