import CardData
import StripeSignal
import WaveformSynthesis

/// One line of the table: a condition at one of the two densities.
struct Row {
    var condition: Condition
    var density: Condition.Density

    init(_ condition: Condition, _ density: Condition.Density) {
        self.condition = condition
        self.density = density
    }

    var trackName: String { density == .track2 ? "2" : "1, 3" }
    var target: Double? { condition.target(density) }
    /// How the row is called in a state file.
    var key: String { "\(condition.name) [\(trackName)]" }

    /// Makes the swipe with this number and reads it.
    func run(_ number: Int, seed: UInt64) -> Outcome {
        let seed = seed &* 1_000_003 &+ UInt64(number) &* 7919
        var random = SeededRandom(seed: seed)
        guard let made = text(number, &random) else { return Outcome() }
        var recipe = made.recipe
        if let make = condition.make {
            let (samples, rate) = make(recipe, &random)
            return Outcome(of: samples, rate: rate, texts: [made.text])
        }
        if let series = condition.series, let other = Texts.nextInSeries(made.text, recipe, &random) {
            let samples = series([recipe, other.recipe], &random)
            return Outcome(of: samples, rate: 44_100, texts: [made.text, other.text])
        }
        condition.change(&recipe, &random)
        if condition.isOfTwoHeads {
            return underTwoHeads(recipe, made.text, number, seed: seed ^ 0xABCD, &random)
        }
        var samples = StripeSynthesizer.samples(recipe, seed: seed ^ 0xABCD)
        condition.damage?(&samples, &random)
        var texts: Set = [made.text]
        if let mingle = condition.mingle, let other = text(number, &random) {
            mingle(&samples, StripeSynthesizer.samples(other.recipe, seed: seed ^ 0x5678), &random)
            texts.insert(other.text)
        }
        return Outcome(of: samples, rate: recipe.sampleRate, texts: texts)
    }

    /// The track under one head, and the card's other track in clear under another.
    private func underTwoHeads(
        _ recipe: StripeRecipe, _ text: String, _ number: Int, seed: UInt64, _ random: inout SeededRandom
    ) -> Outcome {
        let other = Row(condition, density == .track2 ? .tracks1And3 : .track2)
        guard var clear = other.text(number, &random) else { return Outcome() }
        clear.recipe.speed = recipe.speed
        clear.recipe.isBackward = recipe.isBackward
        clear.recipe.silence = recipe.silence
        let heads = StripeSynthesizer.samples([recipe, clear.recipe], seed: seed)
        return Outcome(ofHeads: heads, rate: recipe.sampleRate, text: text, others: [clear.text])
    }

    private func text(_ number: Int, _ random: inout SeededRandom) -> (recipe: StripeRecipe, text: String)? {
        condition.isOfPayment
            ? Texts.paymentRecipe(density, &random)
            : Texts.recipe(density, number, &random, zeros: condition.isOfZeros ? 0.8 : 0)
    }
}

/// What became of one swipe.
struct Outcome {
    /// Read as it is, or repaired, rightly.
    var isRight = false
    /// Rightly, but only by repair.
    var isRepaired = false
    /// Another text than the card's, with the status `ok` and with the status `repaired`.
    var wrongTexts = 0
    var wrongRepairs = 0
    /// Thread time, so that a busy machine does not count.
    var milliseconds = 0.0
    /// Why there is no text; empty where there is one.
    var failure = "no swipe"
    /// All that was read and said of it.
    var digest = Digest()

    init() {}

    /// - Parameter texts: those that are right.
    init(of samples: [Int16], rate: Int, texts: Set<String>) {
        var decoder = StripeDecoder(sampleRate: rate)
        var events: [StripeEvent] = []
        milliseconds = ThreadClock.milliseconds {
            events = decoder.process(samples.span)
            events += decoder.finish()
        }
        for event in events { digest.add(event) }
        for case .swipe(let swipe) in events {
            for track in swipe.tracks { add(track.outcome, texts) }
        }
    }

    /// - Parameters:
    ///   - text: the one that counts.
    ///   - others: those of other heads.
    init(ofHeads heads: [[Int16]], rate: Int, text: String, others: Set<String>) {
        var decoder = HeadsDecoder(sampleRate: rate, heads: heads.count)
        var strokes: [Stroke] = []
        milliseconds = ThreadClock.milliseconds {
            for (head, samples) in heads.enumerated() { decoder.take(samples.span, of: head) }
            strokes = decoder.strokes() + decoder.finish()
        }
        for track in strokes.flatMap(\.tracks) {
            if let read = track.text, others.contains(read.reveal()) { continue }
            add(track.outcome, [text])
        }
    }

    private mutating func add(_ outcome: TrackOutcome, _ texts: Set<String>) {
        switch outcome {
        case .read(let read) where texts.contains(read.reveal()):
            isRight = true
            isRepaired = false
        case .read(let read):
            wrongTexts += 1
            failure = "WRONG \(read.reveal()) for \(texts.sorted())"
        case .repaired(let read, _) where texts.contains(read.reveal()):
            isRepaired = !isRight
            isRight = true
        case .repaired(_, let bits):
            wrongRepairs += 1
            failure = "wrong repair of \(bits)"
        // What was wrong stays to be seen.
        case .refused(let refusal): failure = wrongTexts > 0 ? failure : refusal.code
        case .empty, .encrypted: failure = "empty"
        }
    }
}
