import CardData
import ReaderKit
import ReaderTesting

@testable import MSRReaders

/// Encoders that are ready, in every habit.
enum EncoderHabits {
    static func ready<Link: EncoderLink>(
        _ link: Link.Type, _ habits: EncoderSimulator.Habits = .init(),
        _ options: ReaderOptions = ReaderOptions()
    ) -> EncoderBench<Link> {
        var bench = EncoderBench<Link>(habits, options: options)
        bench.start()
        for _ in 0..<20 where !bench.encoder.isWaitingForCard { bench.fireTimer() }
        bench.run(MSRDialogue.settling * 2)
        bench.signals = []
        return bench
    }

    /// Texts are asked for.
    static func iso() -> ReaderOptions {
        var options = ReaderOptions()
        options.encoderReading = .iso
        return options
    }

    static let everyHabit: [EncoderSimulator.Habits] = EncoderSimulator.Habits.Blank.allCases.flatMap {
        blank in
        [false, true].flatMap { counts in
            [false, true].map { low in
                var habits = EncoderSimulator.Habits()
                (habits.blank, habits.countsItself, habits.lowBitFirst) = (blank, counts, low)
                return habits
            }
        }
    }

    /// The variants that a driver names.
    static func variants(_ driver: some ReaderDriver) -> String? {
        var driver = driver
        for case .signal(.property(let reply)) in driver.property(PropertyRequest(token: 1, name: "variants"))
        {
            if case .success(.text(let text)) = reply.outcome { return text }
        }
        return nil
    }
}
