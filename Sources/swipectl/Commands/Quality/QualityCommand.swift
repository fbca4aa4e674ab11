import ArgumentParser
import StripeSignal

/// `swipectl quality`: how cards and heads measure, from recordings. Needs no daemon.
struct QualityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quality",
        abstract: "Measure cards and heads in sound recordings of swipes.",
        discussion: """
            Takes WAV files and, as '-', one on standard input, each channel one head, and prints a row for each track of \
            each swipe. Give many swipes of one card, or of one reader, to tell the two apart.

            cells: how much the clocking zeros' lengths differ from their neighbours', in percent of a cell, mean and worst. \
            half: the same of the half cells in the start sentinel. level: the zeros' mean pulse in dB of full scale. \
            weakest: the lowest pulses of any 5 mm at equal speed, in percent of these; 80 is the most that is told. start: millimetres of clocking \
            zeros before the start sentinel. speed: mean, slowest and fastest cm/s. clipped: percent cut off. SNR: dB.

            The last line is a judgement: what to blame, the card, the head, the hand or the gain. One swipe cannot tell a \
            card's density from the hand's speed, and no figure tells a hidden digit.

            Of a card that is not read only the clocking zeros are measured; --formats names cards of one's own, as for 'decode'.

            A file that cannot be read is named on standard error; the others are still read, and the exit status is 1. It is \
            6 where all could be read and none holds a swipe.
            """)

    @Flag(help: "One JSON object a line for each swipe.") var json = false
    @Option(help: ArgumentHelp("Card formats of one's own.", valueName: "file"), completion: .file())
    var formats: String?
    @Option(
        help: ArgumentHelp("Draw the figures of all swipes as SVG into this file.", valueName: "out"),
        completion: .file())
    var svg: String?
    @Argument(
        help: ArgumentHelp("Recordings; '-' is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    func run() throws {
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
            try Output.result(MeasuredSwipe.table(swipes).text(.forStandardOutput()))
            try Output.result(Judgement(swipes.map(\.judgement)).sentence + "\n")
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
