import ArgumentParser
import Glibc
import ReaderKit
import ReaderRecordings

/// Lets a virtual reader send what a real one sent.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send a recording of a test card to a virtual reader, with its timing.",
        discussion: """
            The daemon needs a section for it, which this command prints: [virtual-hid NAME], [virtual-keyboard NAME], [virtual-serial \
            NAME] or [virtual-audio NAME], with the source that --source names here. The pipe is made where it is not there, and stays. Sound goes by the clock of \
            the virtual card, which has a speed of its own. A recording of shapes has nothing to send.
            """)

    @Option(help: ArgumentHelp("The virtual reader's source.", valueName: "pipe"), completion: .file())
    var source: String

    @Option(help: ArgumentHelp("So many times as fast.", valueName: "factor"))
    var speed = 1.0

    @Argument(help: ArgumentHelp("A recording that swipectl made.", valueName: "file"), completion: .file())
    var file: String

    func validate() throws {
        guard (0.01...1000).contains(speed) else { throw ValidationError("--speed: 0.01 to 1000") }
    }

    func run() async throws {
        let recording = try Self.recording(file)
        guard recording.head.content == .testCard else {
            throw CommandFailure(
                .nothingFound, "\(file): it has shapes alone; record with --test-card what is to be replayed")
        }
        guard mkfifo(source, 0o600) == 0 || errno == EEXIST else {
            throw CommandFailure(.failure, "\(source): \(String(cString: strerror(errno)))")
        }
        let descriptor = try pipe(recording.head)
        defer { close(descriptor) }
        // A pipe holds a part of a second of sound: the card's clock is its timing.
        let isTimed = recording.head.ids != ReaderRecording.Head.soundInput
        let begin = ContinuousClock.now
        let first = recording.reports.first?.time ?? 0
        for report in recording.reports {
            let due = Duration.microseconds(Double(report.time - first) / speed)
            if isTimed { try await Task.sleep(until: begin + due) }
            do throws(OutputFailure) {
                try Output.write(Self.sent(report.bytes ?? [], recording.head), to: descriptor)
            } catch {
                throw CommandFailure(.failure, "\(source): nobody reads it any more (\(error))")
            }
        }
    }

    /// The pipe, once the daemon has it open, which takes a moment; to wait for that without an end is what is wanted.
    private func pipe(_ head: ReaderRecording.Head) throws(CommandFailure) -> Int32 {
        var status = stat()
        guard stat(source, &status) == 0, Self.isPipe(status) else { throw noPipe }
        Output.complain(
            "to \(Self.section(head)), source = \(Self.absolute(source)); waits until the daemon opens it")
        let descriptor = open(source, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.failure, "\(source): \(String(cString: strerror(errno)))")
        }
        // Another file may have its name meanwhile.
        guard fstat(descriptor, &status) == 0, Self.isPipe(status) else {
            close(descriptor)
            throw noPipe
        }
        return descriptor
    }

    private static func isPipe(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFIFO }

    private var noPipe: CommandFailure {
        CommandFailure(
            .failure,
            "\(source): is not a named pipe; nothing was written. Give a pipe, or a path where nothing is")
    }

    private static func absolute(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What the daemon's configuration needs.
    private static func section(_ head: ReaderRecording.Head) -> String {
        if let rate = head.rate { return "[virtual-audio NAME] with type = passive, rate = \(rate)" }
        if let type = head.type {
            return "[virtual-serial NAME] with type = \(type)"
                + (head.reading.map { ", reading = \($0.rawValue)" } ?? "")
        }
        if head.isTyping { return "[virtual-keyboard NAME] with the layout of the reader" }
        return "[virtual-hid NAME] with device = \(head.ids.lowercased())"
            + (head.reading.map { ", [hid] with reading = \($0.rawValue)" } ?? "")
    }

    /// Reports as lines of hex; sound and what a line carries as they are.
    private static func sent(_ bytes: [UInt8], _ head: ReaderRecording.Head) -> [UInt8] {
        guard head.rate == nil, head.type == nil else { return bytes }
        let report = head.isTyping ? head.keys(in: bytes) ?? [] : bytes
        return Array((ReaderRecording.hexadecimal(report) + "\n").utf8)
    }

    static func recording(_ file: String) throws(CommandFailure) -> ReaderRecording {
        do {
            let bytes = try SoundFile.bytes(of: file, limit: ReaderRecording.maximumBytes)
            guard bytes.count <= ReaderRecording.maximumBytes else { throw SoundError("larger than 16 MiB") }
            return try ReaderRecording(bytes)
        } catch {
            throw CommandFailure(.failure, "\(file): \(error)")
        }
    }
}
