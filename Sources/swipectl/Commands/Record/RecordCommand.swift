import ArgumentParser
import Glibc
import Inspection
import ReaderRecordings
import SwipeClient
import SwipeProtocol

/// Writes down what comes from a reader.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Write down what comes from a HID reader: shapes, without a character of a card.",
        discussion: """
            It reads beside the daemon, which goes on as before, from the reader's device node: so it needs the right to open that, \
            which root has (sudo). A recording has when each report came, how long it is, and how long each track of it is; no \
            digit can be had from it. With --test-card it has every byte, for a card that is nobody's: that is asked for first, \
            and has to be typed. It ends with Ctrl-C. Of readers at a sound input, arecord makes recordings \
            (docs/troubleshooting.md).
            """)

    @OptionGroup var connection: ConnectionOptions

    @Option(
        help: ArgumentHelp("Where to write it; only its owner can read it.", valueName: "file"),
        completion: .file())
    var output: String

    @Flag(help: "Every byte, of a card that is nobody's: a blank one, or one with a published test number.")
    var testCard = false

    @Option(help: ArgumentHelp("End after so many reports.", valueName: "count"))
    var reports: Int?

    @Argument(
        help: "The reader: its id, its name, the beginning of one, or its device node (/dev/hidraw0).",
        completion: .readers)
    var reader: String

    func validate() throws {
        if let reports, reports < 1 { throw ValidationError("--reports must be at least 1") }
    }

    func run() async throws {
        let node = try await node()
        if testCard { try Self.confirm() }
        let device = try HIDNodeReader(node.node)
        let file = try RecordingFile(output)
        let content = testCard ? ReaderRecording.Content.testCard : .shapes
        EndingSignal.watch()
        try file.write(
            ReaderRecording.line(
                .init(ids: node.ids, product: node.name, descriptor: node.descriptor, content: content)))
        Output.complain("recording \(node.node) (\(node.ids)); swipe now, Ctrl-C ends it")
        let begin = ContinuousClock.now
        var count = 0
        while count != reports, !EndingSignal.isWanted {
            guard let report = try device.next() else { continue }
            let time = (ContinuousClock.now - begin).components
            let microseconds = Int(time.seconds) * 1_000_000 + Int(time.attoseconds / 1_000_000_000_000)
            try file.write(ReaderRecording.line(report, at: microseconds, content))
            count += 1
        }
        Output.complain("\(count) report\(count == 1 ? "" : "s") in \(output.printable)")
        EndingSignal.endIfWanted()
    }

    /// The node that was named, or that the named reader has: by its number, else by its port.
    private func node() async throws -> HIDNode {
        let nodes = Inspection.running.hidNodes()
        if reader.hasPrefix("/") {
            guard let node = nodes.first(where: { $0.node == reader }) else {
                throw CommandFailure(
                    .noSuchReader, "\(reader.printable) is no HID device that the kernel shows")
            }
            return node
        }
        var found: HIDNode?
        try await connection.withClient { client in
            let readers = try await client.readers()
            let id = try ReaderChoice(reader, among: readers).id()
            let info = readers.first { $0.id == id }
            found =
                nodes.first { $0.serial != nil && $0.serial == info?.serial && $0.port == info?.port }
                ?? nodes.first { $0.port != nil && $0.port == info?.port }
        }
        guard let found else {
            throw CommandFailure(
                .noSuchReader,
                "\(reader.printable) has no hidraw node: it is at a sound input or a line, or virtual")
        }
        return found
    }

    /// A card's bytes are written down only for who says that it is nobody's.
    private static func confirm() throws(CommandFailure) {
        Output.error(
            """
            swipectl: the recording will have every digit of what is swiped. Swipe only a card that is nobody's.
            Type 'test card' to go on: 
            """)
        guard readLine() == "test card" else {
            throw CommandFailure(.usage, "nothing was recorded: 'test card' was not typed")
        }
    }
}

/// Reports from a hidraw node, beside whoever else reads it: the kernel gives each of them every report.
private final class HIDNodeReader {
    /// HID_MAX_BUFFER_SIZE of the kernel.
    private static let maximumReport = 16_384
    private static let pauseMilliseconds: Int32 = 100

    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(CommandFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.path = path
        guard descriptor < 0 else { return }
        switch errno {
        case EACCES, EPERM:
            throw CommandFailure(.denied, "\(path): only the daemon's user and root may open it; try sudo")
        case let code: throw CommandFailure(.failure, "\(path): \(String(cString: strerror(code)))")
        }
    }

    deinit { close(descriptor) }

    /// The next report; nil where none came for a moment.
    func next() throws(CommandFailure) -> [UInt8]? {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Self.pauseMilliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.maximumReport)
        let count = read(descriptor, &bytes, bytes.count)
        if count > 0 { return Array(bytes[..<count]) }
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        throw CommandFailure(.noSuchReader, "\(path) is gone")
    }
}

/// A recording as it is written, a line at once, so that Ctrl-C leaves whole lines.
struct RecordingFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(CommandFailure) {
        let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // A file that was there has a mode of its own.
        guard opened >= 0, fchmod(opened, 0o600) == 0 else {
            let reason = String(cString: strerror(errno))
            if opened >= 0 { close(opened) }
            throw CommandFailure(.failure, "\(path): \(reason)")
        }
        (descriptor, self.path) = (opened, path)
    }

    deinit { close(descriptor) }

    borrowing func write(_ line: EncodedLine) throws(CommandFailure) {
        let descriptor = descriptor
        do throws(OutputFailure) {
            try line.withBytes { (bytes) throws(OutputFailure) in
                try Output.write(Array(bytes), to: descriptor)
            }
        } catch {
            throw CommandFailure(.failure, "\(path): \(error)")
        }
    }
}
