import CardData
import StripeSignal
import WaveformSynthesis

/// Sound with no card in it: whatever is read there is wrong.
enum Stretches {
    static let kinds = [
        "white noise", "noise bursts", "hum", "tone", "sweep", "speech-like", "music-like", "clicks",
        "two-tone data", "hum and speech",
    ]
    static let rate = 44_100

    /// One second of a kind of sound.
    static func samples(_ kind: Int, seed: UInt64) -> [Int16] {
        var random = SeededRandom(seed: seed)
        let level = random.uniform(300...9000)
        var signal = [Double](repeating: 0, count: rate)
        switch kind % kinds.count {
        case 0: for index in signal.indices { signal[index] = random.gaussian() }
        case 1: bursts(&signal, &random)
        case 2: tones(&signal, random.uniform() < 0.5 ? 50 : 60, 12, &random)
        case 3: tones(&signal, random.uniform(200...9000), 1, &random)
        case 4: sweep(&signal, &random)
        case 5: speech(&signal, &random)
        case 6: for _ in 0..<4 { notes(&signal, &random) }
        case 7: clicks(&signal, &random)
        case 8: data(&signal, &random)
        default:
            tones(&signal, random.uniform() < 0.5 ? 50 : 60, 12, &random)
            speech(&signal, &random)
        }
        var peak = 1e-9
        for value in signal { peak = max(peak, abs(value)) }
        let floor = random.uniform(1...20)
        return signal.map {
            Int16(min(max($0 / peak * level * 3 + floor * random.gaussian(), -32768), 32767))
        }
    }

    private static func bursts(_ signal: inout [Double], _ random: inout SeededRandom) {
        for _ in 0..<3 {
            let start = Int(random.uniform() * 35_000)
            let length = Int(random.uniform(2000...9000))
            var previous = 0.0
            let colour = random.uniform(0...0.9)
            for index in start..<min(start + length, signal.count) {
                previous = colour * previous + random.gaussian()
                signal[index] += previous
            }
        }
    }

    private static func tones(
        _ signal: inout [Double], _ frequency: Double, _ count: Int, _ random: inout SeededRandom
    ) {
        for harmonic in 1...count {
            add(
                &signal, 0..<signal.count, frequency * Double(harmonic), 1 / Double(harmonic),
                random.uniform() * 6.28)
        }
    }

    /// A rotating phasor: no sine a sample.
    private static func add(
        _ signal: inout [Double], _ range: Range<Int>, _ frequency: Double, _ height: Double, _ phase: Double
    ) {
        // The step's sine and cosine by their series: the angle is small.
        let angle = 2 * Double.pi * frequency / Double(rate) / 16
        let s = angle * (1 - angle * angle / 6)
        let c = (1 - s * s).squareRoot()
        var (re, im) = (c, s)
        for _ in 0..<4 { (re, im) = (re * re - im * im, 2 * re * im) }
        var x = height * phase / 6.3
        var y = height * (1 - (phase / 6.3) * (phase / 6.3)).squareRoot()
        for index in range {
            signal[index] += x
            (x, y) = (x * re - y * im, x * im + y * re)
        }
    }

    private static func sweep(_ signal: inout [Double], _ random: inout SeededRandom) {
        var phase = 0.0
        var frequency = random.uniform(100...500)
        let growth = 1 + random.uniform(0.00002...0.0001)
        for index in signal.indices {
            phase += frequency / Double(rate)
            if phase >= 1 { phase -= 1 }
            signal[index] = phase < 0.5 ? 1 : -1
            frequency = min(frequency * growth, 12_000)
        }
    }

    /// Pulses of a voice's pitch through two resonances, in syllables.
    private static func speech(_ signal: inout [Double], _ random: inout SeededRandom) {
        var start = 1500
        while start < signal.count - 3000 {
            let length = Int(random.uniform(3000...12_000))
            var pitch = random.uniform(90...280)
            let first = random.uniform(0.02...0.1)
            let second = random.uniform(0.12...0.4)
            var states = (0.0, 0.0, 0.0, 0.0)
            var phase = 0.0
            let voiced = random.uniform() < 0.75
            for index in start..<min(start + length, signal.count) {
                phase += pitch / Double(rate)
                pitch *= 1 + 0.00002 * random.gaussian()
                var input = voiced ? 0 : random.gaussian() * 0.3
                if phase >= 1 {
                    phase -= 1
                    if voiced { input = 1 }
                }
                states.0 += first * (input * 8 - states.1 - 0.3 * states.0)
                states.1 += first * states.0
                states.2 += second * (input * 4 - states.3 - 0.2 * states.2)
                states.3 += second * states.2
                signal[index] += states.0 + states.2
            }
            start += length + Int(random.uniform(500...6000))
        }
    }

    private static func notes(_ signal: inout [Double], _ random: inout SeededRandom) {
        var start = 0
        while start < signal.count {
            let length = Int(random.uniform(3000...14_000))
            let end = min(start + length, signal.count)
            let frequency = random.uniform(80...1500)
            for harmonic in 1...6 {
                add(
                    &signal, start..<end, frequency * Double(harmonic), random.uniform(),
                    random.uniform() * 6.28)
            }
            start = end
        }
    }

    private static func clicks(_ signal: inout [Double], _ random: inout SeededRandom) {
        var place = 1000.0
        let spacing = random.uniform(10...200)
        while place < Double(signal.count - 1) {
            signal[Int(place)] += random.uniform(0.5...1) * (random.uniform() < 0.5 ? -1 : 1)
            place += spacing * (random.uniform() < 0.5 ? 0.5 : 1) * random.uniform(0.97...1.03)
        }
    }

    /// Two tones an octave apart that follow random bits, phase kept: the nearest that a modem comes to a stripe.
    private static func data(_ signal: inout [Double], _ random: inout SeededRandom) {
        let slow = random.uniform(300...3000)
        var phase = 0.0
        var left = 0.0
        var frequency = slow
        for index in signal.indices {
            if left <= 0 {
                left += Double(rate) / slow
                frequency = random.uniform() < 0.5 ? slow : slow * 2
            }
            left -= 1
            phase += frequency / Double(rate)
            if phase >= 1 { phase -= 1 }
            // A parabola for each half wave: near enough to a sine.
            let half = phase < 0.5 ? phase * 2 : phase * 2 - 1
            signal[index] = 4 * half * (1 - half) * (phase < 0.5 ? 1 : -1)
        }
    }
}
