import CardData
import StripeSignal
import WaveformSynthesis

/// Measures the decoder over the table of conditions. `--help` says how.
@main
struct DecoderBenchmark {
    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(Options.usage)
            return
        }
        if options.stretches > 0 { return Stretches.run(count: options.stretches, seed: options.seed) }
        print(
            "| condition | track | target % | read % (95 % interval) | n | wrong as ok | rightly repaired | wrongly repaired | CPU ms mean / max |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        var wrong = 0
        var swipes = 0
        for condition in Condition.all where options.matches(condition.name) {
            for density in options.densities
            where !options.onlyTargets || condition.target(density) != nil {
                let score = Score(condition, density, options)
                print(score.row(condition, density))
                wrong += score.wrong
                swipes += options.count
            }
        }
        print("\nwrong text as ok: \(wrong) of \(swipes) swipes")
    }
}

struct Options {
    static let usage =
        "DecoderBenchmark [--n COUNT] [--only WORDS] [--track 2|1] [--seed N] [--targets] [--failures] [--stretches COUNT]"
    var count = 100
    var words: [String] = []
    var densities: [Condition.Density] = [.track2, .tracks1And3]
    var seed: UInt64 = 1
    var showsFailures = false
    /// Leave out what the table asks nothing for.
    var onlyTargets = false
    var stretches = 0

    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--n": count = iterator.next().flatMap { Int($0) } ?? 100
            case "--only": words.append(iterator.next() ?? "")
            case "--track": densities = iterator.next() == "2" ? [.track2] : [.tracks1And3]
            case "--seed": seed = iterator.next().flatMap { UInt64($0) } ?? 1
            case "--stretches": stretches = iterator.next().flatMap { Int($0) } ?? 1000
            case "--targets": onlyTargets = true
            case "--failures": showsFailures = true
            default: return nil
            }
        }
    }

    func matches(_ name: String) -> Bool {
        words.isEmpty || words.contains { name == $0 || ($0.hasSuffix("*") && name.hasPrefix($0.dropLast())) }
    }
}

/// What became of the swipes of one condition.
struct Score {
    var right = 0
    var showsRuns = false
    var repaired = 0
    var wrong = 0
    var wrongRepairs = 0
    var milliseconds = 0.0
    var longest = 0.0
    var count: Int

    init(_ condition: Condition, _ density: Condition.Density, _ options: Options) {
        count = options.count
        showsRuns = options.showsFailures
        for number in 0..<options.count {
            let seed = options.seed &* 1_000_003 &+ UInt64(number) &* 7919
            var random = SeededRandom(seed: seed)
            guard let made = Texts.recipe(density, number, &random) else { continue }
            var recipe = made.recipe
            condition.change(&recipe, &random)
            let samples = StripeSynthesizer.samples(recipe, seed: seed ^ 0xABCD)
            let reading = add(samples, rate: recipe.sampleRate, made.text)
            if options.showsFailures, !reading.isEmpty {
                print("  seed \(number): \(reading)")
            }
        }
    }

    private mutating func add(_ samples: [Int16], rate: Int, _ text: String) -> String {
        var decoder = StripeDecoder(sampleRate: rate)
        let clock = ContinuousClock()
        var events: [StripeEvent] = []
        let time = clock.measure {
            events = decoder.process(samples.span)
            events += decoder.finish()
        }
        let spent = Double(time.components.attoseconds) * 1e-15 + Double(time.components.seconds) * 1e3
        milliseconds += spent
        longest = max(longest, spent)
        var isRight = false
        var failure = "no swipe"
        for case .swipe(let swipe) in events {
            if showsRuns {
                for run in swipe.bitRuns {
                    print(
                        "   run \(run.cellEdges.first ?? 0) \(run.cellEdges.last ?? 0) \(BitString.text(run.bits))"
                    )
                }
            }
            for track in swipe.tracks {
                switch track.outcome {
                case .read(let read):
                    if read.reveal() == text {
                        isRight = true
                    } else {
                        wrong += 1
                        failure = "WRONG \(read.reveal()) for \(text)"
                    }
                case .repaired(let read, let bits):
                    if read.reveal() == text {
                        if !isRight { repaired += 1 }
                        isRight = true
                    } else {
                        wrongRepairs += 1
                        failure = "wrong repair of \(bits)"
                    }
                case .refused(let refusal): failure = "\(refusal)"
                case .empty, .encrypted: failure = "empty"
                }
            }
        }
        right += isRight ? 1 : 0
        return isRight ? "" : failure
    }

    func row(_ condition: Condition, _ density: Condition.Density) -> String {
        let interval = wilson(right, count)
        let target = condition.target(density).map { "\($0)" } ?? "–"
        let rate = 100 * Double(right) / Double(max(count, 1))
        let mark = rate + 0.001 < condition.target(density) ?? 0 ? " **" : ""
        let mean = milliseconds / Double(max(count, 1))
        return "| \(condition.name) | \(density == .track2 ? "2" : "1, 3") | \(target) | "
            + "\(round1(rate)) (\(round1(interval.0))-\(round1(interval.1)))\(mark) | \(count) | \(wrong) | \(repaired) | \(wrongRepairs) | "
            + "\(round1(mean)) / \(round1(longest)) |"
    }
}

/// Wilson's interval for a proportion, in percent, at 95 %.
func wilson(_ hits: Int, _ count: Int) -> (Double, Double) {
    guard count > 0 else { return (0, 100) }
    let n = Double(count)
    let p = Double(hits) / n
    let z = 1.96
    let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
    return (100 * max(0, middle - half), 100 * min(1, middle + half))
}

func round1(_ value: Double) -> Double { (value * 10).rounded() / 10 }
