/// How much of a swipe its input has cut off.
///
/// A pulse that is cut off has a flat top: samples in a row that are exactly as high as the highest of the swipe. It need not be full
/// scale, for a mixer may have turned the sound down behind the converter. Where the sound is so quiet that its steps make tops flat,
/// nothing can be told.
enum Clipping {
    /// Equal samples in a row that no round top has. Measured on synthesis up to 100 dB, 5 and 25 cm/s, 44.1 and 192 kHz, and on all
    /// recordings of real swipes: none has one.
    private static let leastFlat = 3
    /// The highest samples are at least so many steps of the converter high.
    private static let leastSteps: Float = 64
    /// What is louder than this part of the highest is no silence.
    private static let loudPart: Float = 0.2
    /// The step of an 8 bit converter, in units of 16 bits.
    private static let coarseStep: Float = 256

    /// The converter's step.
    static func step(of samples: [Float]) -> Float {
        samples.allSatisfy { $0 == ($0 / coarseStep).rounded() * coarseStep } ? coarseStep : 1
    }

    /// The part of the loud samples that are cut off, in percent.
    static func percent(of samples: [Float]) -> Double {
        guard let highest = samples.max(), let lowest = samples.min() else { return 0 }
        let leastLevel = leastSteps * step(of: samples)
        let loud = max(highest, -lowest) * loudPart
        var loudCount = 0
        var flatCount = 0
        var run = 0
        var last: Float = 0
        for sample in samples {
            if abs(sample) > loud { loudCount += 1 }
            let isExtreme = (sample == highest || sample == lowest) && abs(sample) >= leastLevel
            run = isExtreme ? (sample == last ? run + 1 : 1) : 0
            last = sample
            // The first ones of a run count as well once it is long enough.
            if run == leastFlat { flatCount += leastFlat } else if run > leastFlat { flatCount += 1 }
        }
        return loudCount > 0 ? 100 * Double(flatCount) / Double(loudCount) : 0
    }
}
