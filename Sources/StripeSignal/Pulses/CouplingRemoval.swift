/// Undoes AC coupling: a first-order high-pass, as a sound card's input capacitor makes it.
///
///     the head       /\              coupled     /\
///               ____/  \____                ____/  \  __.---
///                            \/                      \/
///
/// Behind a corner near the cells' own frequency every pulse drags an undershoot behind it, which moves its neighbour,
/// and where the pulses are clipped stands as high as they do. What the capacitor took away is the signal's integral:
/// it is added again, from `leak` upward, as much as belongs to `corner`.
struct CouplingRemoval: Sendable {
    var sampleRate: Int

    /// In hertz. The true corner is not known: one that is too low leaves a part of the undershoot, one that is too high
    /// makes a part of the pulse come twice and raises hum and slow noise.
    var corner = 200.0
    /// In hertz: what is slower is not given back, or it would run away.
    private static let leak = 15.0

    func restored(_ samples: [Float]) -> [Float] {
        guard sampleRate > 0, !samples.isEmpty else { return samples }
        let mean = Float(samples.reduce(0) { $0 + Double($1) } / Double(samples.count))
        let angle = 2 * Double.pi / Double(sampleRate)
        let gain = Float(angle * max(corner - Self.leak, 0))
        let kept = Float(1 / (1 + angle * Self.leak))
        var sum: Float = 0
        var result = samples
        for index in result.indices {
            let value = samples[index] - mean
            sum = kept * sum + value
            result[index] = value + gain * sum
        }
        return result
    }
}
