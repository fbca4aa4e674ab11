/// Makes the samples that a sound card would deliver for a recipe. The same recipe and seed give the same samples.
package enum StripeSynthesizer {
    /// The analogue side is computed at this rate or a little more.
    private static let analogueRate = 176_400
    private static let fullScale = 32767.0
    /// Longest swipe that is made, seconds.
    package static let longestSwipe = 60.0

    /// Samples, full scale ±32768. A bit depth of 8 leaves multiples of 256.
    package static func samples(_ recipe: StripeRecipe, seed: UInt64) -> [Int16] {
        var random = SeededRandom(seed: seed)
        let rate = max(recipe.sampleRate, 1000)
        var signal = head(recipe, rate: rate, &random)
        let active = rootMeanSquare(signal)
        let silence = Array(repeating: 0.0, count: Int(max(recipe.silence, 0) * Double(rate)))
        let start = silence.count
        let end = start + signal.count
        signal = silence + signal + silence
        addThumps(recipe, at: [start, end], rate: rate, &signal)
        if let highPass = recipe.highPass {
            Filters.highPass(&signal, frequency: highPass, sampleRate: Double(rate))
        }
        // The level is the swipe's own: what is added afterwards may clip.
        var peak = 0.0
        for value in signal { peak = max(peak, abs(value)) }
        addDisturbances(recipe, rootMeanSquare: active, peak: peak, rate: rate, &signal, &random)
        let gain = Elementary.amplitude(decibels: recipe.clipping > 0 ? recipe.clipping : recipe.level)
        return quantize(signal, gain: gain * fullScale / max(peak, .leastNormalMagnitude), recipe)
    }

    /// What the head gives, band-limited and at the converter's rate.
    private static func head(_ recipe: StripeRecipe, rate: Int, _ random: inout SeededRandom) -> [Double] {
        let factor = max(2, (analogueRate + rate - 1) / rate)
        let fast = Double(rate * factor)
        let pattern = FluxPattern(recipe, random: &random)
        let waveform = SpatialWaveform(pattern, pulseWidth: recipe.pulseWidth, lifts: recipe.lifts)
        let motion = Motion(
            recipe.speed, from: -SpatialWaveform.margin, to: pattern.length + SpatialWaveform.margin,
            random: &random)
        let neighbour = recipe.neighbour.map { neighbour in
            SpatialWaveform(
                FluxPattern(neighbour, length: pattern.length, random: &random),
                pulseWidth: recipe.pulseWidth * 1.5, lifts: [])
        }
        let crosstalk = Elementary.amplitude(decibels: recipe.neighbour?.decibels ?? 0)
        let count = Int(min(motion.duration, longestSwipe) * fast)
        var signal = [Double](repeating: 0, count: count)
        let sign = recipe.isInverted ? -1.0 : 1.0
        motion.sample(count: count, interval: 1 / fast) { index, place, speed in
            let seen = recipe.isBackward ? pattern.length - place : place
            var value = waveform.value(at: seen)
            if let neighbour { value += crosstalk * neighbour.value(at: seen) }
            // Induction: the voltage is proportional to the speed.
            signal[index] = sign * value * speed
        }
        if let lowPass = recipe.lowPass {
            Filters.lowPass(&signal, frequency: lowPass, sampleRate: fast)
        }
        return Filters.decimate(signal, by: factor)
    }

    private static func addThumps(
        _ recipe: StripeRecipe, at places: [Int], rate: Int, _ signal: inout [Double]
    ) {
        guard let decibels = recipe.thump else { return }
        var peak = 0.0
        for value in signal { peak = max(peak, abs(value)) }
        let height = peak * Elementary.amplitude(decibels: decibels)
        for (number, place) in places.enumerated() {
            let length = min(rate / 25, signal.count - place)
            for offset in 0..<max(length, 0) {
                let time = Double(offset) / Double(rate)
                // A knock: 60 Hz, gone in some 10 ms.
                let knock = Elementary.sine(2 * .pi * 60 * time) * Elementary.exponential(-time / 0.008)
                signal[place + offset] += (number == 0 ? height : -height) * 1.6 * knock
            }
        }
    }

    private static func addDisturbances(
        _ recipe: StripeRecipe, rootMeanSquare: Double, peak: Double, rate: Int, _ signal: inout [Double],
        _ random: inout SeededRandom
    ) {
        if let decibels = recipe.signalToNoise {
            let noise = rootMeanSquare * Elementary.amplitude(decibels: -decibels)
            for index in signal.indices { signal[index] += noise * random.gaussian() }
        }
        if let hum = recipe.hum { add(hum, rootMeanSquare, rate: rate, &signal, &random) }
        let clicks = Int(recipe.clicksPerSecond * Double(signal.count) / Double(rate) + random.uniform())
        for _ in 0..<(recipe.clicksPerSecond > 0 ? clicks : 0) {
            var place = Int(random.uniform() * Double(signal.count))
            var height = peak * random.uniform(0.5...2) * (random.uniform() < 0.5 ? -1 : 1)
            // A few samples of decaying, alternating spike, as a bad contact makes it.
            while place < signal.count, abs(height) > peak * 0.02 {
                signal[place] += height
                height *= -0.45
                place += 1
            }
        }
    }

    private static func add(
        _ hum: Hum, _ level: Double, rate: Int, _ signal: inout [Double], _ random: inout SeededRandom
    ) {
        var parts: [(angle: Double, phase: Double, height: Double)] = []
        var power = 0.0
        var height = 1.0
        for harmonic in 1...max(hum.harmonics, 1) {
            let angle = 2 * Double.pi * hum.frequency * Double(harmonic) / Double(rate)
            parts.append((angle, random.uniform() * 2 * .pi, height))
            power += height * height / 2
            height *= hum.decay
        }
        let gain = level * Elementary.amplitude(decibels: hum.decibels) / power.squareRoot()
        for index in signal.indices {
            for part in parts {
                signal[index] += gain * part.height * Elementary.sine(part.angle * Double(index) + part.phase)
            }
        }
    }

    private static func quantize(_ signal: [Double], gain: Double, _ recipe: StripeRecipe) -> [Int16] {
        let step = recipe.bitDepth == 8 ? 256.0 : 1
        let offset = recipe.offset * fullScale
        return signal.map { value in
            let scaled = ((value * gain + offset) / step).rounded() * step
            return Int16(min(max(scaled, -32768), step == 1 ? 32767 : 32512))
        }
    }

    private static func rootMeanSquare(_ signal: [Double]) -> Double {
        var sum = 0.0
        for value in signal { sum += value * value }
        return (sum / Double(max(signal.count, 1))).squareRoot()
    }
}
