/// Makes the samples that a sound card would deliver for a recipe. The same recipe and seed give the same samples.
package enum StripeSynthesizer {
    /// The analogue side is computed at this rate or a little more.
    private static let analogueRate = 176_400
    /// … enough for this many values in a pulse's width, …
    private static let valuesAPulse = 6.0
    /// … but no more than this.
    private static let fastestAnalogueRate = 2e6
    private static let fullScale = 32767.0
    /// One over the highest value of sin(2πx) e^(-2x).
    private static let knockScale = 1.5686
    /// Longest swipe that is made, seconds.
    package static let longestSwipe = 60.0

    /// Samples, full scale ±32768. A bit depth of 8 leaves multiples of 256.
    package static func samples(_ recipe: StripeRecipe, seed: UInt64) -> [Int16] {
        var random = SeededRandom(seed: seed)
        return samples(recipe, way: nil, &random)
    }

    /// What several heads give of one card, whose motion is the first recipe's.
    package static func samples(_ recipes: [StripeRecipe], seed: UInt64) -> [[Int16]] {
        var random = SeededRandom(seed: seed)
        guard let first = recipes.first else { return [] }
        let lengths = recipes.map { recipe in
            var unused = SeededRandom(seed: 0)
            return FluxPattern(recipe, random: &unused).length
        }
        let length = lengths.max() ?? 0
        let motion = Motion(
            first.speed, from: -SpatialWaveform.margin, to: length + SpatialWaveform.margin, random: &random)
        return recipes.enumerated().map { number, recipe in
            var own = SeededRandom(seed: seed &+ UInt64(number) &* 104_729 &+ 1)
            return samples(recipe, way: motion, &own)
        }
    }

    private static func samples(
        _ recipe: StripeRecipe, way: Motion?, _ random: inout SeededRandom
    ) -> [Int16] {
        let rate = max(recipe.sampleRate, 1000)
        var signal = head(recipe, rate: rate, way, &random)
        let active = rootMeanSquare(signal)
        let silence = Array(repeating: 0.0, count: Int(max(recipe.silence, 0) * Double(rate)))
        let start = silence.count
        let end = start + signal.count
        signal = silence + signal + silence
        addThumps(recipe, at: [start, end], rate: rate, &signal, &random)
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
    private static func head(_ recipe: StripeRecipe, rate: Int, _ way: Motion?, _ random: inout SeededRandom)
        -> [Double]
    {
        let pattern = FluxPattern(recipe, random: &random)
        let waveform = SpatialWaveform(pattern, pulseWidth: recipe.pulseWidth, lifts: recipe.lifts)
        let motion =
            way
            ?? Motion(
                recipe.speed, from: -SpatialWaveform.margin, to: pattern.length + SpatialWaveform.margin,
                random: &random)
        let factor = oversampling(recipe, rate: rate, fastest: motion.fastest)
        let fast = Double(rate * factor)
        let neighbour = recipe.neighbour.map { neighbour in
            SpatialWaveform(
                FluxPattern(neighbour, length: pattern.length, random: &random),
                pulseWidth: recipe.pulseWidth * 1.5, lifts: [])
        }
        let crosstalk = Elementary.amplitude(decibels: recipe.neighbour?.decibels ?? 0)
        let count = Int(min(motion.duration, longestSwipe) * fast)
        var signal = [Double](repeating: 0, count: count)
        let sign = recipe.isInverted ? -1.0 : 1.0
        motion.sample(count: count, interval: 1 / fast) { index, place, velocity in
            let seen = recipe.isBackward ? pattern.length - place : place
            var value = waveform.value(at: seen)
            if let neighbour { value += crosstalk * neighbour.value(at: seen) }
            // Induction: the voltage is proportional to the speed, and turns round with it.
            signal[index] = sign * value * velocity
        }
        if let lowPass = recipe.lowPass {
            Filters.lowPass(&signal, frequency: lowPass, sampleRate: fast)
        }
        return Filters.decimate(signal, by: factor)
    }

    /// How many times the converter's rate the analogue side is computed at: fine enough for the fastest pulse too,
    /// whose spectrum falls as exp(-π f PW50 / speed).
    private static func oversampling(_ recipe: StripeRecipe, rate: Int, fastest: Double) -> Int {
        let pulses = fastest / max(recipe.pulseWidth, 1) * valuesAPulse
        let wanted = min(max(Double(analogueRate), pulses), fastestAnalogueRate)
        return max(2, Int((wanted / Double(rate)).rounded(.up)))
    }

    private static func addThumps(
        _ recipe: StripeRecipe, at places: [Int], rate: Int, _ signal: inout [Double],
        _ random: inout SeededRandom
    ) {
        guard let decibels = recipe.thump else { return }
        var peak = 0.0
        for value in signal { peak = max(peak, abs(value)) }
        let height = peak * Elementary.amplitude(decibels: decibels)
        for (number, place) in places.enumerated() {
            // A knock: a few swings between 30 and 150 Hz, gone after one.
            let frequency = random.uniform(30...150)
            let length = min(Int(3 / frequency * Double(rate)), signal.count - place)
            for offset in 0..<max(length, 0) {
                let swings = Double(offset) / Double(rate) * frequency
                let knock = Elementary.sine(2 * .pi * swings) * Elementary.exponential(-2 * swings)
                signal[place + offset] += (number == 0 ? height : -height) * knockScale * knock
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
            let decay = -random.uniform(0.2...0.7)
            // A few samples of decaying, alternating spike, as a bad contact makes it.
            while place < signal.count, abs(height) > peak * 0.02 {
                signal[place] += height
                height *= decay
                place += 1
            }
        }
    }

    private static func add(
        _ hum: Hum, _ level: Double, rate: Int, _ signal: inout [Double], _ random: inout SeededRandom
    ) {
        var parts: [(angle: Double, phase: Double, height: Double)] = []
        var height = 1.0
        for harmonic in 1...max(hum.harmonics, 1) {
            let angle = 2 * Double.pi * hum.frequency * Double(harmonic) / Double(rate)
            parts.append((angle, random.uniform() * 2 * .pi, height))
            height *= hum.decay
        }
        // The fundamental alone is what the decibels say.
        let gain = level * Elementary.amplitude(decibels: hum.decibels) * 2.0.squareRoot()
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
