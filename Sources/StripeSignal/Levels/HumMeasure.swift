/// The mains in what a bare input has: the part of it at 50 and at 60 Hz.
struct HumMeasure: Sendable {
    private static let frequencies = [50, 60]
    /// Ten hertz fall into the first zero of a Hann window of 0.4 s twice over.
    private static let windowSeconds = 0.4
    /// What is less is no hum but a converter's last bit.
    private static let faintest = -100

    private struct Line: Sendable {
        var step: Double
        var real = 0.0
        var imaginary = 0.0
    }

    private let length: Int
    private var lines: [Line]
    private var count = 0
    /// Mean squares by frequency, of the last whole window.
    private var powers: [Double]?

    init(blocksPerSecond: Double) {
        length = max(Int((blocksPerSecond * Self.windowSeconds).rounded()), 2)
        lines = Self.frequencies.map { Line(step: 2 * .pi * Double($0) / blocksPerSecond) }
    }

    /// A window must not hold a card: what was gathered is forgotten, and what was measured stays.
    mutating func reset() {
        guard count > 0 else { return }
        count = 0
        for index in lines.indices { (lines[index].real, lines[index].imaginary) = (0, 0) }
    }

    /// Takes the mean of a block, without the samples' middle.
    mutating func take(_ mean: Double) {
        let weight = 1 - Sine.cosine(2 * .pi * (Double(count) + 0.5) / Double(length))
        for index in lines.indices {
            let angle = lines[index].step * Double(count)
            lines[index].real += weight * mean * Sine.cosine(angle)
            lines[index].imaginary += weight * mean * Sine.sine(angle)
        }
        count += 1
        guard count == length else { return }
        // The weights' sum is the length; half of a sine's power is at its positive frequency.
        powers = lines.map { 2 * ($0.real * $0.real + $0.imaginary * $0.imaginary) / Double(length * length) }
        reset()
    }

    /// The stronger of the two, where it has a tenth of the noise's power or more.
    func stronger(thanTenthOf floor: Int) -> LevelFrame.Hum? {
        guard let powers, let best = powers.indices.max(by: { powers[$0] < powers[$1] }) else { return nil }
        let decibels = LevelMeter.decibels(powers[best])
        return decibels >= max(floor - 10, Self.faintest)
            ? LevelFrame.Hum(hertz: Self.frequencies[best], decibels: decibels) : nil
    }
}
