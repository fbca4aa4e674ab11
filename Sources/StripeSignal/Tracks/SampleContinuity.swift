/// Tells samples that run through from samples with a seam in them, by the waveform alone:
///
///     values      ......          ....
///                       .       .
///                        ..   .
///                         ^seam: a jump, and smooth on both sides of it
///
/// Whoever takes whole cells away, or puts them elsewhere, keeps the clock, parity and often the LRC. But the two ends were
/// recorded round other reversals, each with a jitter of its own: they meet at another height or slope. So a polynomial and a
/// step (``StepKernel``) are laid on the samples round every place. What a smooth pulse, noise or clipping makes of that, they
/// make at many pulses of a record; a seam stands out alone.
struct SampleContinuity: Sendable {
    private static let kernels = [
        StepKernel(half: 5, degree: 2), StepKernel(half: 8, degree: 4),
    ]
    /// By so much a step must stand out of the sixth largest of its record: two buffers that change places make three or four.
    private static let leastLead: Float = 2
    private static let usualRank = 5
    /// In standard deviations: noise alone makes such steps.
    private static let noiseLead: Float = 3
    /// Without the two samples to each side a step is seen so much worse; what is gone without them was a click.
    private static let sureGain: Float = 1.5
    /// Where the head loses or finds its contact, the waveform jumps too, and its height with it.
    private static let leastHeight: Float = 0.7
    private static let heightCells = 2.5
    /// A converter's own noise is this part of its step.
    private static let stepNoise: Float = 0.3
    /// Places by which the usual noise is measured.
    private static let measured = 400

    /// The samples as they came.
    private let samples: [Float]
    private let cell: Double
    private let leastNoise: Float

    init(_ samples: [Float], cell: Double) {
        self.samples = samples
        self.cell = cell
        leastNoise = Self.stepNoise * Clipping.step(of: samples)
    }

    /// The sample at which a record has a seam; nil where it runs through.
    func seam(in record: Range<Int>) -> Int? {
        // The fit in which it stands out most has its place best.
        Self.kernels.compactMap { seam(in: record, $0) }.max { $0.lead < $1.lead }?.place
    }

    private func seam(in record: Range<Int>, _ kernel: StepKernel) -> (place: Int, lead: Float)? {
        let steps = standingSteps(kernel, in: record)
        let usual = max(steps.count > Self.usualRank ? steps[Self.usualRank].lead : 0, Self.noiseLead)
        guard let first = steps.first, first.lead > Self.leastLead * usual else { return nil }
        return (first.place, first.lead / usual)
    }

    /// Those of some height, the largest first.
    private func standingSteps(_ kernel: StepKernel, in record: Range<Int>) -> [(place: Int, lead: Float)] {
        let places = record.clamped(
            to: min(kernel.reach, samples.count)..<max(samples.count - kernel.reach, kernel.reach))
        let noise = usualNoise(kernel, places)
        var found: [(place: Int, lead: Float)] = []
        for first in stride(from: places.lowerBound, to: places.upperBound, by: StepKernel.lanes) {
            let (steps, deviations) = kernel.steps(samples.span, at: first)
            let leads = steps / deviations.raised(to: noise)
            guard any((leads * leads) .> Self.noiseLead * Self.noiseLead) else { continue }
            for lane in 0..<StepKernel.lanes where abs(leads[lane]) > Self.noiseLead {
                let place = first + lane
                let lead = sureLead(kernel, at: place, leads[lane], noise)
                // One jump is seen from all places near it.
                if let last = found.last, place - last.place < kernel.half {
                    if lead > last.lead { found[found.count - 1] = (place, lead) }
                } else if lead > 0, isAsHigh(at: place) {
                    found.append((place, lead))
                }
            }
        }
        return found.sorted { $0.lead > $1.lead }
    }

    /// No more than is left without the samples next to the step.
    private func sureLead(_ kernel: StepKernel, at place: Int, _ plain: Float, _ noise: Float) -> Float {
        guard let wide = kernel.withoutMiddle.first else { return 0 }
        let (steps, deviations) = wide.steps(samples.span, at: place)
        let sure = steps[0] / max(deviations[0], noise)
        return sure * plain > 0 ? min(abs(plain), Self.sureGain * abs(sure)) : 0
    }

    private func usualNoise(_ kernel: StepKernel, _ places: Range<Int>) -> Float {
        var deviations: [Float] = []
        let pause = max(places.count / Self.measured, 1) * StepKernel.lanes
        for first in stride(from: places.lowerBound, to: places.upperBound, by: pause) {
            let found = kernel.steps(samples.span, at: first).deviations
            for lane in 0..<StepKernel.lanes { deviations.append(found[lane]) }
        }
        deviations.sort()
        return max(deviations.isEmpty ? 0 : deviations[deviations.count / 2], leastNoise)
    }

    /// Whether the waveform is about as high on both sides.
    private func isAsHigh(at place: Int) -> Bool {
        let length = max(Int(Self.heightCells * cell), 1)
        let before = height(place - length..<place)
        let after = height(place..<place + length)
        return min(before, after) > Self.leastHeight * max(before, after)
    }

    /// Peak to peak.
    private func height(_ range: Range<Int>) -> Float {
        let near = samples[range.clamped(to: samples.indices)]
        return (near.max() ?? 0) - (near.min() ?? 0)
    }
}

/// A step in some samples in a row, less what a polynomial explains, of power one.
struct StepKernel: Sendable {
    /// Samples to each side.
    let half: Int
    /// The same with two samples to each side left out, and two more beyond.
    private(set) var withoutMiddle: [StepKernel] = []
    /// The polynomials and the step, of power one each and at right angles, one after the other.
    private var columns: [Float] = []
    private let leftOut: Range<Int>
    private let freedom: Float

    private static let middle = 2
    /// Places in a row that are looked at together.
    static let lanes = 8

    init(half: Int, degree: Int) {
        self.init(half: half, degree: degree, leftOut: half..<half)
        let wide = half + Self.middle
        withoutMiddle = [
            StepKernel(half: wide, degree: degree, leftOut: wide - Self.middle..<wide + Self.middle)
        ]
    }

    private init(half: Int, degree: Int, leftOut: Range<Int>) {
        self.half = half
        self.leftOut = leftOut
        freedom = Float(max(2 * half - leftOut.count - degree - 2, 1))
        let places = (0..<2 * half).map { (Double($0) + 0.5) / Double(half) - 1 }
        var power = places.map { _ in 1.0 }
        var found: [[Double]] = []
        for _ in 0...degree {
            found.append(Self.rest(of: power, beside: found, without: leftOut))
            for index in power.indices { power[index] *= places[index] }
        }
        found.append(Self.rest(of: places.map { $0 < 0 ? -1 : 1 }, beside: found, without: leftOut))
        columns = found.flatMap { $0.map { Float($0) } }
    }

    /// What of a column is at right angles to the others, of power one.
    private static func rest(
        of column: [Double], beside others: [[Double]], without leftOut: Range<Int>
    ) -> [Double] {
        var rest = column
        for index in leftOut { rest[index] = 0 }
        for other in others {
            let part = zip(other, rest).reduce(0) { $0 + $1.0 * $1.1 }
            for index in rest.indices { rest[index] -= part * other[index] }
        }
        let power = rest.reduce(0) { $0 + $1 * $1 }
        return rest.map { $0 / power.squareRoot() }
    }

    /// Samples that must be there to each side of a place: it is looked at together with others, and so is each of those once
    /// more, with two samples left out.
    var reach: Int { half + Self.middle + 2 * Self.lanes }

    /// The step before each of eight samples in a row, and the standard deviation of what neither a polynomial nor a step
    /// explains. The step is in units of the noise, if that had a standard deviation of one. The caller keeps within the samples.
    @inline(__always)
    func steps(_ samples: Span<Float>, at first: Int) -> (steps: SIMD8<Float>, deviations: SIMD8<Float>) {
        let columns = columns.span
        let count = 2 &* half
        let shift = SIMD8<Float>(repeating: samples[first])
        var power = SIMD8<Float>()
        for tap in 0..<count where !leftOut.contains(tap) {
            let near = Self.eight(samples, at: first &- half &+ tap) - shift
            power += near * near
        }
        var part = SIMD8<Float>()
        var base = 0
        while base < columns.count {
            part = SIMD8<Float>()
            for tap in 0..<count {
                part +=
                    (Self.eight(samples, at: first &- half &+ tap) - shift) * columns[unchecked: base &+ tap]
            }
            power -= part * part
            base &+= count
        }
        return (part, (power.replacing(with: 0, where: power .< 0) / freedom).squareRoot())
    }

    @inline(__always)
    private static func eight(_ samples: Span<Float>, at place: Int) -> SIMD8<Float> {
        var near = SIMD8<Float>()
        for lane in 0..<lanes { near[lane] = samples[unchecked: place &+ lane] }
        return near
    }
}

extension SIMD8<Float> {
    /// None of them lower.
    fileprivate func raised(to least: Float) -> Self { replacing(with: least, where: self .< least) }
}
