import ArgumentParser
import Glibc
import ReaderRecordings

/// Lets a virtual reader send what a real one sent.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send a recording of a test card to a virtual reader, with its timing.",
        discussion: """
            The daemon needs a section for it: [virtual-hid NAME] with the recording's device (this command prints it) and a \
            source, which --source names here. The pipe is made where it is not there, and stays. A recording of shapes has \
            nothing to send.
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
        Output.complain(
            "to [virtual-hid NAME] with device = \(recording.head.ids), source = \(source)")
        // The daemon opens it when it sees it, which takes it a moment; to wait for that without an end is what is wanted.
        let descriptor = open(source, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.failure, "\(source): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let begin = ContinuousClock.now
        let first = recording.reports.first?.time ?? 0
        for report in recording.reports {
            let due = Duration.microseconds(Double(report.time - first) / speed)
            try await Task.sleep(until: begin + due)
            let line = ReaderRecording.hexadecimal(report.bytes ?? []) + "\n"
            do throws(OutputFailure) {
                try Output.write(Array(line.utf8), to: descriptor)
            } catch {
                throw CommandFailure(.failure, "\(source): nobody reads it any more (\(error))")
            }
        }
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
