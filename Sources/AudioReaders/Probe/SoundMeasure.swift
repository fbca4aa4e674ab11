/// What a stretch of sound was like, as numbers that no card can be read from: levels of hundredths of a second, and how
/// often each distance between two changes of the level occurred, in no order.
package struct SoundMeasure: Sendable {
    /// Levels that are kept: ten seconds of them.
    private static let maximumWindows = 1_000
    /// Distances beyond this many samples are counted together.
    private static let longestDistance = 160
    private static let fullScale = 32_768.0
    /// A window is loud from so many times the quietest on.
    private static let loud = 4.0

    /// The root of the mean square of each hundredth of a second, of full scale.
    package private(set) var windows: [Double] = []
    /// How often two changes of the level were so many samples apart.
    package private(set) var distances = [Int](repeating: 0, count: longestDistance + 1)
    /// How many samples stood at the end of the scale.
    package private(set) var clipped = 0
    package private(set) var peak = 0.0

    private let windowSamples: Int
    private var squares = 0.0
    private var filled = 0
    private var middle = 0.0
    private var isHigh = false
    private var sinceChange = 0
    private var total = 0.0
    private var count = 0

    package init(sampleRate: Int) { windowSamples = max(1, sampleRate / 100) }

    /// The mean, of full scale.
    package var offset: Double { count > 0 ? total / Double(count) / Self.fullScale : 0 }

    package mutating func take(_ samples: [Int16]) {
        for sample in samples { take(Double(sample)) }
    }

    private mutating func take(_ sample: Double) {
        peak = max(peak, abs(sample) / Self.fullScale)
        if abs(sample) >= Self.fullScale - 1 { clipped += 1 }
        middle += (sample - middle) / Double(4 * windowSamples)
        squares += (sample - middle) * (sample - middle)
        total += sample
        count += 1
        sinceChange += 1
        if (sample > middle) != isHigh {
            isHigh.toggle()
            distances[min(sinceChange, Self.longestDistance)] += 1
            sinceChange = 0
        }
        filled += 1
        guard filled >= windowSamples else { return }
        if windows.count < Self.maximumWindows {
            windows.append((squares / Double(filled)).squareRoot() / Self.fullScale)
        }
        (squares, filled) = (0, 0)
    }

    /// Stretches that are louder than the quietest part: their beginnings and lengths in hundredths of a second.
    package func bursts(over silence: Double) -> [(start: Int, length: Int)] {
        var bursts: [(start: Int, length: Int)] = []
        for (index, level) in windows.enumerated() where level > max(silence * Self.loud, 0.001) {
            if let last = bursts.last, last.start + last.length == index {
                bursts[bursts.count - 1].length += 1
            } else {
                bursts.append((index, 1))
            }
        }
        return bursts
    }

    /// The middle one of the levels.
    package var medianLevel: Double {
        windows.isEmpty ? 0 : windows.sorted()[windows.count / 2]
    }
}
