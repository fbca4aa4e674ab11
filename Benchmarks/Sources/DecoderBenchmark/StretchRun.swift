import CardData
import Glibc
import StripeSignal

/// Runs the decoder over sound with no card in it and counts the texts, of which there must be none.
struct StretchRun {
    private let options: Options
    private let state: StateFile

    init(_ options: Options) {
        self.options = options
        state = StateFile(reading: options.states)
    }

    /// - Returns: whether no text was read.
    func run() -> Bool {
        print(
            "| sound without a card | stretches of 1 s | texts read | reported as an unreadable swipe | CPU ms p50 / p99 / worst |"
        )
        print("|---|---|---|---|---|")
        let each = options.stretches / Stretches.kinds.count
        var read = 0
        let kinds = Stretches.kinds.indices.filter { options.isAskedFor(Stretches.kinds[$0]) }
        for kind in kinds {
            let score = measured(kind, each)
            read += score.wrong
            let times = [score.time(0.5), score.time(0.99), score.time(1)].map { "\(round1($0))" }
            print(
                "| \(Stretches.kinds[kind]) | \(score.count) | \(score.wrong) | \(score.wrongRepairs) | \(times.joined(separator: " / ")) |"
            )
            fflush(nil)
        }
        print("\ntexts read: \(read) of \(each * kinds.count) stretches")
        return read == 0
    }

    private func measured(_ kind: Int, _ count: Int) -> Score {
        let row = "sound: \(Stretches.kinds[kind])"
        var (score, done) = state.score(row, label: options.label, seed: options.seed)
        var progress = Progress(row)
        for number in 0..<count where !done.contains(number) {
            let seed = options.seed &* 7_777_777 &+ UInt64(number * Stretches.kinds.count + kind)
            let outcome = Self.outcome(Stretches.samples(kind, seed: seed), row, number)
            score.add(outcome)
            if let path = options.states.first {
                let entry = StateFile.Entry(
                    label: options.label, seed: options.seed, number: number, outcome: outcome)
                StateFile.append(entry, row: row, to: path)
            }
            progress.tell("\(score.count) of \(count), \(score.wrong) texts")
        }
        return score
    }

    /// A text counts as wrong, a swipe reported without one in the place of a wrong repair.
    private static func outcome(_ samples: [Int16], _ row: String, _ number: Int) -> Outcome {
        var outcome = Outcome()
        var decoder = StripeDecoder(sampleRate: Stretches.rate)
        var events: [StripeEvent] = []
        outcome.milliseconds = ThreadClock.milliseconds {
            events = decoder.process(samples.span)
            events += decoder.finish()
        }
        for event in events { outcome.digest.add(event) }
        for case .swipe(let swipe) in events {
            let texts = swipe.tracks.compactMap { $0.text?.reveal() }
            outcome.wrongTexts += texts.count
            if texts.isEmpty { outcome.wrongRepairs += 1 }
            for text in texts { Complaint.tell("\(row) \(number): \(text)\n") }
        }
        outcome.isRight = outcome.wrongTexts == 0
        return outcome
    }
}
