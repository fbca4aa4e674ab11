import ArgumentParser
import StripeSignal
import SwipeClient
import SwipeProtocol

/// `swipectl quality`: how cards and heads measure, from recordings, or as a daemon tells it.
struct QualityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quality",
        abstract: "Measure cards and heads, in sound recordings of swipes or at a reader.",
        discussion: """
            Takes WAV files and, as '-', one on standard input, each channel one head, and prints a row for each track of \
            each swipe, or a line for each figure where the window is too narrow. Give many swipes of one card, or of one reader, to tell the two apart.

            cells: how much the clocking zeros' lengths differ from their neighbours', in percent of a cell, mean and worst. \
            half: the same of the half cells in the start sentinel. level: the zeros' mean pulse in dB of full scale. \
            weakest: the lowest pulses of any 5 mm at equal speed, in percent of these; 80 is the most that is told. start: millimetres of clocking \
            zeros before the start sentinel. speed: mean, slowest and fastest cm/s. clipped: percent cut off. SNR: dB.

            The last line is a judgement: what to blame, the card, the head, the hand or the gain. One swipe cannot tell a \
            card's density from the hand's speed, and no figure tells a hidden digit.

            Of a card that is not read only the clocking zeros are measured, of one that was put together ('joined') nothing; --formats names cards of one's own, as for 'decode'.

            --live READER shows what the daemon measures of each swipe of a reader, a row a swipe as it comes, until Ctrl-C or --swipes of \
            them, and then the judgement. These figures are of the whole swipe, as in the event, and readers that send texts have none.

            A file that cannot be read is named on standard error; the others are still read, and the exit status is 1. It is \
            6 where all could be read and none holds a swipe.
            """)

    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "One JSON object a line for each swipe.") var json = false
    @Option(
        help: ArgumentHelp("Show the swipes of this reader as they come.", valueName: "reader"),
        completion: .readers)
    var live: String?
    @Option(help: "With --live: end after so many swipes.") var swipes: Int?
    @Option(help: ArgumentHelp("Card formats of one's own.", valueName: "file"), completion: .file())
    var formats: String?
    @Option(
        help: ArgumentHelp("Draw the figures of all swipes as SVG into this file.", valueName: "out"),
        completion: .file())
    var svg: String?
    @Argument(
        help: ArgumentHelp("Recordings; '-' is standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    func validate() throws {
        guard live != nil else {
            if files.isEmpty { throw ValidationError("name recordings, or a reader with --live") }
            if swipes != nil { throw ValidationError("--swipes is for --live") }
            return
        }
        if !files.isEmpty { throw ValidationError("--live is for a reader, and takes no recordings") }
        if svg != nil || formats != nil {
            throw ValidationError("--svg and --formats are for recordings: the daemon reads the swipes")
        }
        if let swipes, swipes < 1 { throw ValidationError("--swipes must be at least 1") }
    }

    func run() async throws {
        if let live { try await follow(live) } else { try measure() }
    }

    private func follow(_ name: String) async throws {
        try await connection.withPatientClient { client in
            let id = try ReaderChoice(name, among: try await client.readers()).id()
            let live = LiveQuality(client: client, reader: id, json: json, count: swipes)
            EndingSignal.watch()
            try await EndingSignal.ending { try await live.run() }
            if !json, let judgement = await live.judgement {
                try Output.result(OutputWindow.wrapped(judgement.sentence) + "\n")
            }
        }
        EndingSignal.endIfWanted()
    }

    private func measure() throws {
        let own = try formats.map { try DecodeCommand.formats(in: $0) } ?? []
        let options = StripeOptions(formats: StripeFormat.standard + own, keepsTrace: true)
        var failures = 0
        var swipes: [MeasuredSwipe] = []
        for file in files {
            do {
                let found = try Self.measured(file, options)
                if found.isEmpty { Output.complain("\(file): no swipe found") }
                swipes += found
            } catch {
                failures += 1
                Output.complain("\(file): \(error)")
            }
        }
        if !swipes.isEmpty { try show(swipes) }
        if failures > 0 { throw ExitCode(ExitStatus.failure.rawValue) }
        if swipes.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    private func show(_ swipes: [MeasuredSwipe]) throws {
        if json {
            for swipe in swipes { try Output.line(swipe) }
        } else {
            let table = MeasuredSwipe.table(swipes)
            try Output.result(table.text(.forStandardOutput(), within: OutputWindow.columns))
            try Output.result(OutputWindow.wrapped(Judgement(swipes.map(\.judgement)).sentence) + "\n")
        }
        guard let svg else { return }
        do throws(SoundError) {
            try DrawingFile.write(QualityDrawing(swipes).svg(), to: svg, isSecret: false)
        } catch {
            throw CommandFailure(.failure, "\(error)")
        }
    }

    private static func measured(_ file: String, _ options: StripeOptions) throws -> [MeasuredSwipe] {
        var wav = try WAVFile(SoundInput(file))
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
        return heads.finish().enumerated().map { index, swipe in
            MeasuredSwipe(swipe, options.formats, file: file, index: index)
        }
    }
}
