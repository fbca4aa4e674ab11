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
            Writes a WAV file, or raw signed 16 bit little-endian samples with --raw, to standard output or --output. \
            Try it: swipectl synth --track 2 ';4266841088889999=080910110000046?' | swipectl decode -
            """)

    @Option(help: "Track 1, 2 or 3: alphabet and density.") var track = 2
    @Option(help: "Write to this file instead of standard output.") var output: String?
    @Flag(help: "Raw samples without a header.") var raw = false
    @Option(help: "Samples a second, 8000 to 192000.") var rate = 44_100
    @Option(name: .customLong("bit-depth"), help: "8 or 16.") var bitDepth = 16
    @Option(help: "Seed of everything random.") var seed: UInt64 = 1
    @Option(help: "Swipes, one after the other.") var repeats = 1
    @OptionGroup var card: SynthCardOptions
    @OptionGroup var sound: SynthSoundOptions
    @Argument(help: "The track's text with its sentinels, or bits (0 and 1) with --bits.") var text: String

    func validate() throws {
        guard (1...3).contains(track) else { throw ValidationError("--track: 1, 2 or 3") }
        guard (8000...192_000).contains(rate) else { throw ValidationError("--rate: 8000 to 192000") }
        guard bitDepth == 8 || bitDepth == 16 else { throw ValidationError("--bit-depth: 8 or 16") }
        guard (1...1000).contains(repeats) else { throw ValidationError("--repeats: 1 to 1000") }
        guard (1...1000).contains(card.speed) else { throw ValidationError("--speed: 1 to 1000 cm/s") }
    }

    func run() throws {
        var recipe = try recipe()
        recipe.sampleRate = rate
        recipe.bitDepth = bitDepth
        card.apply(to: &recipe)
        sound.apply(to: &recipe)
        var samples: [Int16] = []
        for number in 0..<repeats {
            samples += StripeSynthesizer.samples(recipe, seed: seed &+ UInt64(number))
        }
        let bytes =
            (raw ? [] : WAVHeader.bytes(samples: samples.count, rate: rate, bits: bitDepth)) + data(samples)
        try write(bytes)
    }

    private func recipe() throws -> StripeRecipe {
        let bitsPerInch = card.density ?? StripeRecipe.bitsPerInch(track: track)
        guard bitsPerInch > 1, bitsPerInch < 1000 else {
            throw ValidationError("--density: 1 to 1000 bits an inch")
        }
        if card.bits {
            guard let bits = BitString.bits(text), !bits.isEmpty else {
                throw CommandFailure(.usage, "--bits takes a text of 0 and 1")
            }
            return StripeRecipe(bits: bits, bitsPerInch: bitsPerInch)
        }
        let format: TrackFormat = track == 1 ? .iso1 : track == 2 ? .iso2 : .iso3
        do {
            return try StripeRecipe(text: text, format: format, bitsPerInch: bitsPerInch)
        } catch .notInAlphabet(let index) {
            throw CommandFailure(.failure, "character \(index + 1) is not in track \(track)'s alphabet")
        } catch .tooLong(let characters, let maximum) {
            throw CommandFailure(
                .failure, "\(characters) characters with the LRC; track \(track) holds \(maximum)")
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
        var descriptor = STDOUT_FILENO
        if let output { descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        guard descriptor >= 0 else {
            throw CommandFailure(.failure, "\(output ?? "-"): \(String(cString: strerror(errno)))")
        }
        defer { if output != nil { close(descriptor) } }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw CommandFailure(
                    .failure, "\(output ?? "standard output"): \(String(cString: strerror(errno)))")
            }
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
