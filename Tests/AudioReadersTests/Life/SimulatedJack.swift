import AudioReaders
import ReaderKit
import ReaderTesting

/// A driver and what is in the jack, ten milliseconds at a time, in a time of their own.
struct SimulatedJack<Driver: ReaderDriver> where Driver.Input == SampleBlock {
    static var step: Duration { .milliseconds(10) }

    var bench: LifeBench<Driver>
    var simulator: ReaderSimulator
    private(set) var elapsed = Duration.zero
    /// What is on its way to the capture.
    private var coming: [Int16] = []
    private var toneIsHigh = false

    init(_ kind: ReaderSimulator.Kind, _ options: ReaderOptions = ReaderOptions(), rate: Int = 48_000) {
        bench = LifeBench(options)
        bench.rate = rate
        simulator = ReaderSimulator(kind, rate: rate)
    }

    /// Lets time pass until the condition holds.
    ///
    /// - Returns: whether it came to hold.
    mutating func run(
        for limit: Duration, until isDone: (SimulatedJack) -> Bool = { _ in false }
    ) -> Bool {
        let end = elapsed + limit
        while elapsed < end {
            if isDone(self) { return true }
            advance()
        }
        return isDone(self)
    }

    mutating func swipe(_ packet: [UInt8]) -> Bool {
        guard let sound = simulator.swipe(packet) else { return false }
        coming += sound
        return true
    }

    /// Sound that no reader of the simulator makes.
    mutating func hear(_ samples: [Int16]) { coming += samples }

    private mutating func advance() {
        let count = bench.rate / 100
        for answer in simulator.hear(played(count)) { coming += answer }
        let heard = Array(coming.prefix(count))
        coming.removeFirst(heard.count)
        bench.hear(heard + [Int16](repeating: 0, count: count - heard.count))
        bench.pass(Self.step)
        elapsed += Self.step
    }

    /// The burst, else the tone (6 kHz, a square), else nothing.
    private mutating func played(_ count: Int) -> [Int16] {
        (0..<count).map { index in
            if !bench.bursts.isEmpty { return bench.bursts.removeFirst() }
            guard bench.isToneOn else { return 0 }
            return index / 4 % 2 == 0 ? 32_767 : -32_767
        }
    }
}
