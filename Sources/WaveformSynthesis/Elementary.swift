/// Elementary functions from the four operations alone: a seed gives the same samples on every machine, and the
/// target stays free of any C library. Good to about 1e-9, far under the noise of anything made here.
enum Elementary {
    static let pi = Double.pi

    static func sine(_ angle: Double) -> Double {
        let turns = (angle / (2 * pi)).rounded()
        var x = angle - turns * 2 * pi
        if x > pi / 2 { x = pi - x }
        if x < -pi / 2 { x = -pi - x }
        let square = x * x
        // Taylor to x^15: 6e-12 at the end of the quarter turn.
        var term = x
        var sum = x
        for n in stride(from: 2.0, through: 14, by: 2) {
            term *= -square / (n * (n + 1))
            sum += term
        }
        return sum
    }

    static func cosine(_ angle: Double) -> Double { sine(angle + pi / 2) }

    static func logarithm(_ x: Double) -> Double {
        guard x > 0, x.isFinite else { return x > 0 ? .infinity : -.infinity }
        let ratio = (x.significand - 1) / (x.significand + 1)
        let square = ratio * ratio
        var power = ratio
        var sum = 0.0
        for n in stride(from: 1.0, through: 19, by: 2) {
            sum += power / n
            power *= square
        }
        return 2 * sum + Double(x.exponent) * 0.693147180559945309
    }

    static func exponential(_ x: Double) -> Double {
        let clamped = min(max(x, -700), 700)
        // e^x = (e^(x/1024))^1024: the series converges in a few terms.
        let small = clamped / 1024
        var value = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4)))
        for _ in 0..<10 { value *= value }
        return value
    }

    /// The amplitude ratio of so many decibels.
    static func amplitude(decibels: Double) -> Double { exponential(decibels * 0.115129254649702) }
}
