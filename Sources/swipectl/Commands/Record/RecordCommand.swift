import ArgumentParser
import DeviceIO
import Glibc
import Inspection
import KeyboardLayouts
import ReaderKit
import ReaderRecordings
import SwipeClient
import SwipeProtocol

/// Writes down what comes from a reader.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Write down what comes from a reader: shapes, without a character of a card.",
        discussion: """
            Of a HID reader, and of one that types, it reads beside the daemon, which goes on as before, from the reader's device node: so \
            it needs the right to open that, which root has (sudo). An MSR605X says something only while the daemon asks it. A sound card \
            (hw:CARD=Headset) and a serial line (/dev/ttyUSB0, with --type) have one user at a time: stop the daemon first (systemctl stop \
            swiped.service swiped.socket). An encoder on a line is asked for cards as the daemon would ask it, and left as it was.

            A recording has when each report came, how long it is, and how long each track of it is; of a swipe at a sound card also its \
            length to a hundredth of a second and its highest level. Of a reader that types it has no key, and of each swipe the second \
            in which it began and its tracks' lengths. No digit can be had from it. With --test-card it has every byte, key or sample, \
            for a card that is nobody's: that is asked for first, and has to be typed. It ends with Ctrl-C, or with 16 MiB, which is a \
            minute and more of sound.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Option(
        help: ArgumentHelp("Where to write it, a new file; only its owner can read it.", valueName: "file"),
        completion: .file())
    var output: String

    @Flag(help: "Every byte, of a card that is nobody's: a blank one, or one with a published test number.")
    var testCard = false

    @Option(
        help: ArgumentHelp(
            "End after so many reports, or swipes: of a sound card, a line, an encoder, keys.",
            valueName: "count")
    )
    var reports: Int?

    @Option(
        help: "What is at a serial line, as in its section of the configuration.",
        completion: .list(RecordedLine.types))
    var type: String?

    @Option(help: "The serial line's speed.") var baud = 9600

    @Option(help: "The serial line's frame: 8N1 or 7E1.", completion: .list(LineFrame.allValueStrings))
    var frame = LineFrame(.eightNone)

    @Option(
        help: "What an encoder is asked for, as in the configuration: raw or iso.",
        completion: .list(EncoderReading.allCases.map(\.rawValue)))
    var reading: EncoderReading = .raw

    @Option(help: "The layout of a reader that types.") var layout = "us"

    @Option(help: .hidden) var alsaConfiguration: String?

    @Argument(
        help:
            "The reader: its id, its name, the beginning of one, its device node (/dev/hidraw0), a sound card or a serial line.",
        completion: .readers)
    var reader: String

    func validate() throws {
        if let reports, reports < 1 { throw ValidationError("--reports must be at least 1") }
        guard SerialLineConfiguration.speeds.contains(baud) else {
            throw ValidationError(
                "--baud: one of \(SerialLineConfiguration.speeds.map(String.init).joined(separator: ", "))")
        }
    }

    func run() async throws {
        let content = testCard ? ReaderRecording.Content.testCard : .shapes
        if isSoundCard {
            try await record { try await RecordedSound(reader, definition: try definition(), content) }
        } else if let type {
            let line = SerialLineConfiguration(
                name: "recorded", path: reader, speed: baud, frame: frame.frame)
            try await record { try await RecordedLine(line, type: type, reading, content) }
        } else {
            let node = try await node()
            let keys = try keyboard()
            if ReaderRecording.Head.isTyping(node.descriptor) {
                try await record { try RecordedKeys(node, keys, content) }
            } else {
                try await record { try RecordedNode(node, reading, content) }
            }
        }
        EndingSignal.endIfWanted()
    }

    /// Until as much came as is wanted, the file is full, the device is gone, or Ctrl-C.
    private func record<Device: RecordedDevice>(from open: () async throws -> Device) async throws {
        if testCard { try Self.confirm() }
        // First: of a device that was opened, more is to be put back.
        let file = try RecordingFile(output)
        // To open may change a device already.
        EndingSignal.watch()
        let device: Device
        do { device = try await open() } catch {
            file.discard()
            EndingSignal.endIfWanted()
            throw error
        }
        let close = device.close
        do { try file.write(ReaderRecording.line(device.head)) } catch {
            await close()
            file.discard()
            throw error
        }
        Output.complain("recording \(device.words); swipe now, Ctrl-C ends it")
        let watching = Task {
            while !EndingSignal.isWanted, !Task.isCancelled { try await Task.sleep(for: .milliseconds(50)) }
            await close()
        }
        var (source, count) = (device, 0)
        var failure: (any Error)?
        while count != reports, failure == nil, !EndingSignal.isWanted, !file.isFull {
            do {
                for piece in try await source.next() where count != reports {
                    try file.write(ReaderRecording.line(piece.report))
                    if piece.counts { count += 1 }
                }
            } catch {
                // On Ctrl-C what waited was closed.
                failure = EndingSignal.isWanted ? nil : error
            }
        }
        watching.cancel()
        _ = try? await watching.value
        await close()
        if file.isFull { Output.complain("the file is as large as a recording may be") }
        let what = device.counted
        Output.complain("\(count) \(what)\(count == 1 ? "" : "s") in \(output.printable)")
        if let failure { throw failure }
    }

    /// ALSA's names, as in the section of an audio reader.
    private var isSoundCard: Bool {
        reader.hasPrefix("hw:") || reader.hasPrefix("plughw:") || alsaConfiguration != nil
    }

    private func keyboard() throws(CommandFailure) -> KeyboardOptions {
        do throws(KeyboardLayouts.Failure) { return try KeyboardLayouts.options(layout) } catch {
            throw CommandFailure(.usage, "--layout: \(error)")
        }
    }

    private func definition() throws -> String? {
        try alsaConfiguration.map {
            String(decoding: try SoundFile.bytes(of: $0, limit: 65_536), as: UTF8.self)
        }
    }

    /// The node that was named, or that the named reader has: by its number, else by its port.
    private func node() async throws -> HIDNode {
        let nodes = Inspection.running.hidNodes()
        if reader.hasPrefix("/") {
            guard let node = nodes.first(where: { $0.node == reader }) else {
                throw CommandFailure(
                    .noSuchReader,
                    "\(reader.printable) is no HID device that the kernel shows; a serial line needs --type")
            }
            return node
        }
        var found: HIDNode?
        try await connection.withClient { client in
            let readers = try await client.readers()
            let id = try ReaderChoice(reader, among: readers).id()
            let info = readers.first { $0.id == id }
            if info?.isSimulated == true {
                throw CommandFailure(
                    .noSuchReader, "\(id.printable) is a virtual reader, of which nothing is recorded")
            }
            found =
                nodes.first { $0.serial != nil && $0.serial == info?.serial && $0.port == info?.port }
                ?? nodes.first { $0.port != nil && $0.port == info?.port }
        }
        guard let found else {
            throw CommandFailure(
                .noSuchReader,
                "\(reader.printable) has no hidraw node. A sound card is recorded by its name (hw:CARD=…), a serial line by its path and --type, both with the daemon stopped"
            )
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

/// A recording as it is written, a line at once, so that Ctrl-C leaves whole lines.
final class RecordingFile {
    private let descriptor: Int32
    private let path: String
    private let isNew: Bool
    private var written = 0

    /// Another line may be more than a reader of it takes.
    var isFull: Bool { written > ReaderRecording.maximumBytes - ReaderRecording.longestLine }

    /// A file that has something in it already is left as it is: a recording is not made twice.
    init(_ path: String) throws(CommandFailure) {
        var opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        isNew = opened >= 0
        if !isNew, errno == EEXIST { opened = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard opened >= 0 else {
            throw CommandFailure(.failure, "\(path): \(String(cString: strerror(errno)))")
        }
        if !isNew, let why = Self.objection(to: opened) {
            close(opened)
            throw CommandFailure(.failure, "\(path): \(why)")
        }
        (descriptor, self.path) = (opened, path)
    }

    /// Why nothing may be written into what was there already; nil for an empty file of one's own, and for a device or a pipe.
    private static func objection(to descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return String(cString: strerror(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        if status.st_size > 0 { return "exists already; name another file, or remove it" }
        if status.st_uid != geteuid() { return "belongs to another user, who could read the recording" }
        // Of two that write into one, neither could be read.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return "another program writes into it" }
        return fchmod(descriptor, 0o600) == 0 ? nil : String(cString: strerror(errno))
    }

    deinit { close(descriptor) }

    /// Nothing came of it: what was not there before is not there after.
    func discard() { if isNew, written == 0 { unlink(path) } }

    func write(_ line: EncodedLine) throws(CommandFailure) {
        let descriptor = descriptor
        do throws(OutputFailure) {
            try line.withBytes { (bytes) throws(OutputFailure) in
                try Output.write(Array(bytes), to: descriptor)
                written += bytes.count
            }
        } catch {
            throw CommandFailure(.failure, "\(path): \(error)")
        }
    }
}

extension EncoderReading: ExpressibleByArgument {}
