import ArgumentParser
import Captures
import CardData
import Glibc
import ReaderKit
import StripeSignal

/// `swipectl decode`: recordings in, tracks out. Needs no daemon.
struct DecodeCommand: ParsableCommand {
    /// How far the stages are run.
    enum Stage: String, ExpressibleByArgument, CaseIterable {
        case pulses, bits, tracks, card
    }

    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract:
            "Read the swipes in sound recordings, or in captures of HID readers, serial lines and keyboards.",
        discussion: """
            Takes WAV files (8 to 32 bit, float, any channels) and, as '-', a WAV file or raw little-endian samples on \
            standard input, whose form --encoding, --rate and --channels give. Each channel is one head; a file \
            may hold many swipes. A file that cannot be read is named on standard error; the others are still read, \
            and the exit status is 1. It is 6 where all could be read and none holds a swipe.

            Tracks and cards are masked unless --reveal is given. Bits and pulses never are: --to bits and \
            --to pulses print what is on the card, from which its number can be computed. Protect them as you would the card.

            With --formats, cards of one's own are read too: a file with a section [format NAME] for each and the keys \
            bits, parity, first, start, end, lrc, longest, density and track.

            With --hid, files are captures of HID readers: reports or packets as bytes or as hex in any usual form \
            (dumps with offsets, arrays), or the text that keyboard, serial and iDynamo channels carry. Whose they are \
            is guessed; --model says it. Encrypted tracks stay encrypted.

            With --serial, files are bytes of a serial line as a reader of that type sent them, or reports of an encoder \
            (msr605x), as they are or, but for text, as lines of hex. They go through the driver that the daemon uses; \
            --formats works for encoders.

            With --keys, files are the keys of a reader that types, as evtest, evemu-record, libinput debug-events \
            --show-keycodes, libinput record or hid-recorder print them, or boot reports. They are read in the layout \
            that the reader is set to, whatever that of the session was.
            """)

    @Flag(help: "One JSON object a line for each swipe.") var json = false
    @Flag(help: "Show tracks and cards in clear.") var reveal = false
    @Option(help: "Stop after this stage: tracks, card, or, in clear in any case, pulses, bits.")
    var to: Stage = .tracks
    @Option(
        help: ArgumentHelp("Draw a swipe as SVG into this file.", valueName: "out"), completion: .file())
    var svg: String?
    @Option(help: "Which swipe of the last file --svg draws, counted from 0.") var swipe = 0
    @Option(help: ArgumentHelp("Card formats of one's own.", valueName: "file"), completion: .file())
    var formats: String?
    @Option(help: "Raw samples: \(SampleEncoding.names).") var encoding: SampleEncoding = .s16
    @Option(help: "Sample rate of raw samples.") var rate = 44_100
    @Option(help: "Channels of raw samples.") var channels = 1
    @Flag(help: "The files are captures of HID readers.") var hid = false
    @Option(
        help: ArgumentHelp(
            "Whose captures: \(HIDCapture.Model.allCases.map(\.rawValue).joined(separator: ", ")), or magtek, idtech.",
            valueName: "name"),
        completion: .list(HIDCapture.Model.allCases.map(\.rawValue) + ["magtek", "idtech"]))
    var model: String?
    @Option(
        help: ArgumentHelp(
            "The separator of the fields of text streams, where it is not '|' and no CRC shows it.",
            valueName: "character"))
    var separator: String?
    @Option(
        help: ArgumentHelp(
            "The files are bytes of a reader on a line: \(LineDecoding.types.joined(separator: ", ")).",
            valueName: "type"),
        completion: .list(LineDecoding.types))
    var serial: String?
    @Flag(help: "The files are recorded keys of a reader that types.") var keys = false
    @Option(
        help: ArgumentHelp(
            "The reader's keyboard layout: us, uk, de, fr(oss), auto, or the path of a keymap.",
            valueName: "name"), completion: .file())
    var layout: String?
    @Argument(
        help: ArgumentHelp("Recordings; '-' is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    func validate() throws {
        if let model, HIDCapture.Model.named(model).isEmpty {
            throw ValidationError("--model: no model '\(model)'")
        }
        guard hid || model == nil else { throw ValidationError("--model goes with --hid") }
        guard hid || separator == nil else { throw ValidationError("--separator goes with --hid") }
        if let separator,
            separator.utf8.count != 1 || separator.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F })
        {
            throw ValidationError("--separator: one ASCII character")
        }
        try validateSerial()
        try validateKeys()
        guard !hid || to == .tracks || to == .card else {
            throw ValidationError("--to: captures of HID readers have tracks and cards")
        }
        guard !hid || svg == nil else {
            throw ValidationError("--svg draws sound, not captures of HID readers")
        }
        guard !hid || formats == nil else { throw ValidationError("--formats does not go with --hid") }
        guard WAVFile.sampleRates.contains(rate) else { throw ValidationError("--rate: 1000 to 768000") }
        guard (1...WAVFile.mostChannels).contains(channels) else {
            throw ValidationError("--channels: 1 to 64")
        }
    }

    private func validateSerial() throws {
        guard let serial else { return }
        guard LineDecoding.types.contains(serial) else {
            throw ValidationError(
                "--serial: no type '\(serial)'; there are \(LineDecoding.types.joined(separator: ", "))")
        }
        guard !hid else { throw ValidationError("--serial does not go with --hid") }
        guard to == .tracks, svg == nil else {
            throw ValidationError("--serial prints tracks; --to and --svg do not go with it")
        }
    }

    private func validateKeys() throws {
        guard keys || layout == nil else { throw ValidationError("--layout goes with --keys") }
        guard keys else { return }
        guard !hid, serial == nil else {
            throw ValidationError("--keys goes with neither --hid nor --serial")
        }
        guard to == .tracks, svg == nil, formats == nil else {
            throw ValidationError("--keys prints tracks; --to, --svg and --formats do not go with it")
        }
    }

    private func decodeLine(_ type: String) throws {
        var options = ReaderOptions()
        if let formats {
            _ = try ownFormats()
            options.cardFormats = String(
                decoding: try SoundFile.bytes(of: formats, limit: Self.largestFormats), as: UTF8.self)
        }
        try LineDecoding(json: json, reveals: reveal, type: type, options: options).run(files)
    }

    func run() throws {
        if let serial { return try decodeLine(serial) }
        if keys { return try KeyDecoding(json: json, reveals: reveal, layout: layout ?? "us").run(files) }
        if hid {
            let decoding = HIDDecoding(
                json: json, reveals: reveal, printsCardAlone: to == .card, models: models,
                separator: separator?.utf8.first)
            return try decoding.run(files)
        }
        if to == .bits || to == .pulses, !reveal, isatty(STDOUT_FILENO) == 1 {
            Output.complain(
                "\(to.rawValue) are the card's content in clear; nothing in them is masked")
        }
        let options = StripeOptions(
            formats: StripeFormat.standard + (try ownFormats()), keepsTrace: to == .pulses || svg != nil)
        var failures = 0
        var found = 0
        for file in files {
            do {
                found += try decode(file, options)
            } catch let failure as OutputFailure {
                throw failure
            } catch {
                failures += 1
                Output.complain("\(file): \(error)")
            }
        }
        if failures > 0 { throw ExitCode(ExitStatus.failure.rawValue) }
        if found == 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    private var models: [HIDCapture.Model] { model.map(HIDCapture.Model.named) ?? [] }

    private static let largestFormats = 1 << 20

    private func ownFormats() throws(CommandFailure) -> [StripeFormat] {
        guard let formats else { return [] }
        return try Self.formats(in: formats)
    }

    /// Card formats of one's own, from a file.
    static func formats(in path: String) throws(CommandFailure) -> [StripeFormat] {
        do throws(SoundError) {
            let bytes = try SoundFile.bytes(of: path, limit: largestFormats)
            guard bytes.count <= largestFormats else { throw SoundError("larger than 1 MiB") }
            if ForeignSound.isUTF16(bytes) { throw SoundError("in UTF-16; save it as UTF-8") }
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(FormatFile.Failure) {
                return try FormatFile(text).formats
            } catch {
                throw SoundError("\(error)")
            }
        } catch {
            throw CommandFailure(.usage, "\(path): \(error)")
        }
    }

    /// - Returns: how many swipes are in it.
    private func decode(_ file: String, _ options: StripeOptions) throws -> Int {
        var printed = PrintedSwipes(command: self, file: file)
        let input = try SoundInput(file)
        let head = file == "-" ? try input.peek(ForeignSound.headBytes) : []
        if file == "-", !WAVFile.isWAV(head), !WAVFile.isCutShort(head) {
            if let hint = ForeignSound.hint(head, isRaw: true) { throw SoundError(hint) }
            try decodeRaw(input, options, &printed)
        } else {
            try decodeWAV(input, file, options, &printed)
        }
        if let svg {
            guard let drawn = printed.drawn else { throw SoundError("no swipe \(swipe) to draw") }
            let drawing = SwipeDrawing(
                drawn, name: "\(file), swipe \(swipe)", formats: options.formats, reveals: reveal)
            try drawing.write(to: svg)
        }
        if printed.count == 0 { Output.complain("\(file): no swipe found") }
        return printed.count
    }

    private func decodeWAV(
        _ input: SoundInput, _ file: String, _ options: StripeOptions, _ printed: inout PrintedSwipes
    ) throws {
        var wav = try WAVFile(input)
        var heads = RecordedHeads(wav.format, options: options)
        var scale = ScaleCheck()
        var isEmpty = true
        while let sound = try wav.next() {
            scale.add(sound)
            heads.take(sound)
            isEmpty = false
        }
        try scale.check()
        if let shortage = wav.shortage {
            guard !isEmpty else { throw SoundError(shortage) }
            Output.complain("\(file): \(shortage)")
        }
        guard !isEmpty else { throw SoundError("there are no samples in it") }
        try printed.add(heads.finish())
    }

    /// Raw samples are decoded as they come.
    private func decodeRaw(
        _ input: SoundInput, _ options: StripeOptions, _ printed: inout PrintedSwipes
    ) throws {
        let raw = RawSound(encoding: encoding, sampleRate: rate, channels: channels)
        var heads = LiveHeads(sampleRate: rate, channels: channels, options: options)
        guard try input.peek(raw.frameBytes).count == raw.frameBytes else {
            throw SoundError("there are no samples in it")
        }
        var bytes: [UInt8] = []
        while true {
            let piece = try input.piece()
            guard !piece.isEmpty else { break }
            bytes += piece
            let whole = bytes.count - bytes.count % raw.frameBytes
            guard whole > 0 else { continue }
            let sound = raw.sound(bytes, 0..<whole)
            var scale = ScaleCheck()
            scale.add(sound)
            try scale.check()
            try printed.add(heads.take(sound))
            bytes.removeFirst(whole)
        }
        try printed.add(heads.finish())
    }
}

/// Prints swipes as they come, and keeps the one to be drawn.
private struct PrintedSwipes {
    let command: DecodeCommand
    let file: String
    private(set) var count = 0
    private(set) var drawn: RecordedSwipe?

    init(command: DecodeCommand, file: String) {
        self.command = command
        self.file = file
    }

    mutating func add(_ swipes: [RecordedSwipe]) throws(OutputFailure) {
        let lines = SwipeLines(file: file, reveals: command.reveal)
        for swipe in swipes {
            switch command.to {
            case .pulses: for line in lines.pulses(swipe, count) { try Output.result(line) }
            case .bits: for line in lines.bits(swipe, count) { try Output.result(line) }
            case .tracks:
                try Output.result(command.json ? lines.tracks(swipe, count) : lines.plain(swipe, count))
            case .card: try Output.result(lines.card(swipe.masked, count))
            }
            if count == command.swipe, command.svg != nil { drawn = swipe }
            count += 1
        }
    }
}

extension SampleEncoding: ExpressibleByArgument {}
