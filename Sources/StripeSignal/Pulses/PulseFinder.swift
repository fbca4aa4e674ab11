/// Finds the pulses of flux reversals: extremes that alternate in sign.
///
/// An extreme counts once the signal has turned back by a fraction of the *local* level, so the gain may vary by
/// 40 dB along a swipe, and a DC offset shifts nothing. Positions are interpolated by a parabola.
struct PulseFinder: Sendable {
    /// How far the signal must turn back, as a fraction of the local peak-to-peak level.
    var turn: Float
    /// Samples over which the level is local, to each side.
    var reach: Int
    /// Whether the level is that of the fainter side: under a lifted head it falls by 20 dB within a few cells, and
    /// the louder side would hide what is to be found there.
    var takesFainterSide = false
    /// The signal must turn back by this at least, in units of the input.
    var least: Float = 0

    /// Pulses are refused beyond this many in a swipe: no card has as many, noise has.
    static let maximumPulses = 20_000

    func pulses(in signal: [Float]) -> [FluxReversal] {
        guard signal.count > 4 else { return [] }
        let level = localLevel(signal)
        let shift = levelShift
        var pulses: [FluxReversal] = []
        var (highIndex, high) = (0, signal[0])
        var (lowIndex, low) = (0, signal[0])
        // +1: looking for a maximum, -1: for a minimum, 0: neither yet.
        var seeking = 0
        for index in signal.indices {
            let value = signal[index]
            if value > high { (highIndex, high) = (index, value) }
            if value < low { (lowIndex, low) = (index, value) }
            let threshold = max(turn * level[index >> shift], least)
            if seeking >= 0, value < high - threshold {
                if seeking != 0 || highIndex > 0 { pulses.append(pulse(signal, at: highIndex, threshold)) }
                seeking = -1
                (lowIndex, low) = (index, value)
            } else if seeking <= 0, value > low + threshold {
                if seeking != 0 || lowIndex > 0 { pulses.append(pulse(signal, at: lowIndex, threshold)) }
                seeking = 1
                (highIndex, high) = (index, value)
            }
            if pulses.count >= Self.maximumPulses { break }
        }
        return pulses
    }

    private var levelShift: Int { max(0, reach.bitWidth - 1 - max(reach, 1).leadingZeroBitCount - 2) }

    /// Peak to peak within `reach`, for blocks of `1 << levelShift` samples.
    private func localLevel(_ signal: [Float]) -> [Float] {
        let shift = levelShift
        let blocks = (signal.count >> shift) + 1
        var low = [Float](repeating: .infinity, count: blocks)
        var high = [Float](repeating: -.infinity, count: blocks)
        for index in signal.indices {
            let block = index >> shift
            low[block] = min(low[block], signal[index])
            high[block] = max(high[block], signal[index])
        }
        let span = max(1, reach >> shift)
        var level = [Float](repeating: 0, count: blocks)
        func height(_ range: ClosedRange<Int>) -> Float {
            var bottom = Float.infinity
            var top = -Float.infinity
            for near in range {
                bottom = min(bottom, low[near])
                top = max(top, high[near])
            }
            return max(top - bottom, 0)
        }
        for block in 0..<blocks {
            let (first, last) = (max(0, block - span), min(blocks - 1, block + span))
            level[block] =
                takesFainterSide ? min(height(first...block), height(block...last)) : height(first...last)
        }
        return level
    }

    private func pulse(_ signal: [Float], at index: Int, _ threshold: Float) -> FluxReversal {
        var position = Double(index)
        var height = signal[index]
        // A clipped pulse has a flat top: its middle is the pulse.
        var last = index
        while last + 1 < signal.count, signal[last + 1] == signal[index] { last += 1 }
        if last > index {
            position = Double(index + last) / 2
        } else if index > 0, index + 1 < signal.count {
            let before = signal[index - 1]
            let after = signal[index + 1]
            let bend = before - 2 * height + after
            if bend != 0 {
                let offset = min(max(0.5 * (before - after) / bend, -0.5), 0.5)
                position += Double(offset)
                height -= 0.25 * (before - after) * offset
            }
        }
        let prominence = abs(height) / max(threshold / max(turn, 0.01), .leastNormalMagnitude)
        return FluxReversal(position: position, amplitude: height, confidence: min(2 * prominence, 1))
    }
}
