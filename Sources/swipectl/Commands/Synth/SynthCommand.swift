import ArgumentParser
import CardData
import Glibc
import WaveformSynthesis

/// `swipectl synth`: a text in, the sound of its swipe out. The same arguments give the same samples.
struct SynthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synth",
        abstract: "Make the sound of a swipe, for tests and demonstrations.",
        discussion: """
            Writes a WAV file, or raw signed 16 bit little-endian samples with --raw, to standard output or --output. A \
            terminal is not written to. \
            Try it: swipectl synth --track 2 ';4266841088889999=080910110000046?' | swipectl decode -
            """)

    @Option(parsing: .unconditional, help: "Which track: alphabet and density, \(Self.tracks).") var track = 2
    @Option(
        name: [.short, .long], help: "Write to this file instead of standard output.", completion: .file())
    var output: String?
    @Flag(help: "Raw samples without a header.") var raw = false
    @Option(parsing: .unconditional, help: "Samples a second, \(Self.rates).") var rate = 44_100
    @Option(parsing: .unconditional, help: "8 or 16.") var bitDepth = 16
    @Option(parsing: .unconditional, help: "Seed of everything random.") var seed: UInt64 = 1
    @Option(parsing: .unconditional, help: "Swipes, one after the other, \(Self.repetitions).") var repeats =
        1
    @OptionGroup var card: SynthCardOptions
    @OptionGroup var sound: SynthSoundOptions
    @Argument(help: "The track's text with its sentinels, or bits (0 and 1) with --bits.") var text: String

    private static let tracks = Bounds(1...3)
    private static let rates = Bounds(8000...192_000)
    private static let repetitions = Bounds(1...1000)
    /// Keeps one command from taking all memory: 38 minutes at 44.1 kHz.
    private static let mostSamples = 100_000_000.0

    func validate() throws {
        try Self.tracks.check("track", track)
        try Self.rates.check("rate", rate)
        guard bitDepth == 8 || bitDepth == 16 else { throw ValidationError("--bit-depth: 8 or 16") }
        try Self.repetitions.check("repeats", repeats)
    }

    func run() throws {
        guard output != nil || isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .usage, "this is sound, and no text for a terminal: say --output FILE, or | swipectl decode -"
            )
        }
        var recipe = try recipe()
        recipe.sampleRate = rate
        recipe.bitDepth = bitDepth
        card.apply(to: &recipe)
        sound.apply(to: &recipe)
        try checkLength(of: recipe)
        var samples: [Int16] = []
        for number in 0..<repeats {
            samples += StripeSynthesizer.samples(recipe, seed: seed &+ UInt64(number))
        }
        let bytes =
            (raw ? [] : WAVHeader.bytes(samples: samples.count, rate: rate, bits: bitDepth)) + data(samples)
        try write(bytes)
    }

    /// Each option in its bounds can still make hours of sound with the others.
    private func checkLength(of recipe: StripeRecipe) throws(CommandFailure) {
        let bits = Double(recipe.leadingZeros + recipe.bits.count + recipe.trailingZeros)
        let seconds = bits / recipe.bitsPerInch * 2.54 / card.speed + 2 * recipe.silence
        guard seconds * Double(rate) * Double(repeats) <= Self.mostSamples else {
            throw CommandFailure(
                .usage,
                "\(Int(seconds * Double(repeats))) s of sound: at most \(Int(Self.mostSamples)) samples")
        }
    }

    private func recipe() throws -> StripeRecipe {
        let bitsPerInch = card.density ?? StripeRecipe.bitsPerInch(track: track)
        if card.bits {
            guard let bits = BitString.bits(text), !bits.isEmpty else {
                throw CommandFailure(.usage, "--bits needs a text of 0 and 1")
            }
            return StripeRecipe(bits: bits, bitsPerInch: bitsPerInch)
        }
        guard !text.isEmpty else { throw CommandFailure(.usage, "a track's text is not empty") }
        let format: TrackFormat = track == 1 ? .iso1 : track == 2 ? .iso2 : .iso3
        do {
            return try StripeRecipe(text: text, format: format, bitsPerInch: bitsPerInch)
        } catch .notInAlphabet(let index) {
            throw CommandFailure(.usage, "character \(index + 1) is not in track \(track)'s alphabet")
        } catch .tooLong(let characters, let maximum) {
            throw CommandFailure(
                .usage, "\(characters) characters with the LRC; track \(track) holds \(maximum)")
        }
    }

    private func data(_ samples: [Int16]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            if bitDepth == 8, !raw {
                bytes.append(UInt8(truncatingIfNeeded: (Int(sample) >> 8) + 128))
            } else {
                bytes.append(UInt8(truncatingIfNeeded: sample))
                bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
            }
        }
        return bytes
    }

    private func write(_ bytes: [UInt8]) throws {
        guard let output else { return try Output.bytes(bytes) }
        let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(.failure, "\(output): \(OutputFailure(code: errno))")
        }
        do throws(OutputFailure) {
            try Output.write(bytes, to: descriptor)
        } catch {
            close(descriptor)
            throw CommandFailure(.failure, "\(output): \(error)")
        }
        // Some file systems say only now that there was no room.
        guard close(descriptor) == 0 || errno == EINTR else {
            throw CommandFailure(.failure, "\(output): \(OutputFailure(code: errno))")
        }
    }
}

/// The 44 bytes before the samples; the layout is drawn above ``WAVFile``.
enum WAVHeader {
    static func bytes(samples: Int, rate: Int, bits: Int) -> [UInt8] {
        let width = bits / 8
        let size = samples * width
        return Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
            + little(1, 2)
            + little(1, 2) + little(rate, 4) + little(rate * width, 4) + little(width, 2) + little(bits, 2)
            + Array("data".utf8) + little(size, 4)
    }

    private static func little(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
