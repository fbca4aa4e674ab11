import ReaderKit

/// Turns the times of a signal's changes into bits.
///
/// Every change sets the clock anew, so that it need only hold for one run of equal levels; how long a bit is, is
/// learned from the runs, within what a reader's clock may be off.
struct BitClock: Sendable {
    enum Bit: Sendable, Hashable {
        case bit(Bool)
        /// A pulse told that bits begin elsewhere; this is the first one that does.
        case moved(Bool)
        /// A run that is no whole number of bits, or longer than the code allows.
        case lost
    }

    private enum HalfBit: Sendable { case unknown, boundary, middle }

    /// How far a reader's clock may be off. Cheap oscillators without a crystal are within 2 %.
    private static let tolerance = 0.04
    private static let learning = 0.02
    /// A 0 cannot last longer: the stop bit ends it.
    private static let longestRun = 11

    private let code: AcousticProfile.LineCode
    private let nominal: Double
    private(set) var samplesPerBit: Double
    private var isHigh = false
    /// Samples since the last change.
    private var elapsed = 0.0
    /// Bits of this run that were handed on.
    private var handed = 0
    private var place = HalfBit.unknown

    init(code: AcousticProfile.LineCode, samplesPerBit: Double) {
        self.code = code
        nominal = samplesPerBit
        self.samplesPerBit = samplesPerBit
    }

    mutating func start(isHigh: Bool) {
        self.isHigh = isHigh
        elapsed = 0
        handed = 0
        place = .unknown
        samplesPerBit = nominal
    }

    /// How long the level has been the same, in bits.
    var runBits: Double { elapsed / samplesPerBit }

    /// One sample went by without a change. In UART a bit is over when its middle was passed.
    mutating func advance() -> Bit? {
        elapsed += 1
        guard code == .uart else { return nil }
        return overdue(at: elapsed - 1)
    }

    /// The next bit of this run whose middle lies before a time.
    private mutating func overdue(at time: Double) -> Bit? {
        let middle = (Double(handed) + 0.5) * samplesPerBit
        guard middle < time, handed < Self.longestRun else { return nil }
        handed += 1
        return .bit(isHigh)
    }

    /// The level changed, so many samples ago. Hands on the bits that this ends.
    ///
    /// - Returns: how far the run is from a whole number of bits, or half bits, that the code can have: 0…0.5.
    mutating func change(isHigh: Bool, ago: Double, _ bits: (Bit) -> Void) -> Double {
        let length = max(0, elapsed + 1 - ago)
        defer {
            self.isHigh = isHigh
            elapsed = ago
            handed = 0
        }
        switch code {
        case .uart: return endRun(length, bits)
        case .biphase, .manchester: return endPulse(length, isHigh, bits)
        }
    }

    private mutating func endRun(_ length: Double, _ bits: (Bit) -> Void) -> Double {
        while let bit = overdue(at: length) { bits(bit) }
        let count = min(Double(Self.longestRun), (length / samplesPerBit).rounded())
        guard count > 0 else {
            bits(.lost)
            return 0.5
        }
        guard length / samplesPerBit < Double(Self.longestRun) else { return 0 }
        learn(length / count)
        return abs(length / samplesPerBit - count)
    }

    private mutating func endPulse(_ length: Double, _ isHigh: Bool, _ bits: (Bit) -> Void) -> Double {
        let halves = 2 * length / samplesPerBit
        guard halves > 0.5, halves < 2.5 else {
            place = .unknown
            bits(.lost)
            return 0.5
        }
        let isLong = halves >= 1.5
        learn(isLong ? length : 2 * length)
        let bit = code == .manchester ? manchester(isLong, isHigh) : biphase(isLong)
        if let bit { bits(bit) }
        return abs(halves - (isLong ? 2 : 1))
    }

    /// A long pulse goes from middle to middle; only it tells where the middles are.
    private mutating func manchester(_ isLong: Bool, _ isHigh: Bool) -> Bit? {
        switch (place, isLong) {
        case (.unknown, false): return nil
        case (.middle, false):
            place = .boundary
            return nil
        case (.unknown, true), (.middle, true), (.boundary, false):
            place = .middle
            return .bit(isHigh)
        case (.boundary, true):
            place = .middle
            return .moved(isHigh)
        }
    }

    /// A long pulse goes from boundary to boundary.
    private mutating func biphase(_ isLong: Bool) -> Bit? {
        switch (place, isLong) {
        case (.unknown, false): return nil
        case (.unknown, true), (.boundary, true):
            place = .boundary
            return .bit(false)
        case (.boundary, false):
            place = .middle
            return nil
        case (.middle, false):
            place = .boundary
            return .bit(true)
        case (.middle, true):
            place = .boundary
            return .moved(false)
        }
    }

    private mutating func learn(_ measured: Double) {
        let learned = samplesPerBit + Self.learning * (measured - samplesPerBit)
        samplesPerBit = min(nominal * (1 + Self.tolerance), max(nominal * (1 - Self.tolerance), learned))
    }
}
