import ArgumentParser
import WaveformSynthesis

/// The card and the hand that moves it.
struct SynthCardOptions: ParsableArguments {
    @Flag(help: "The argument is bits, recorded as they are.") var bits = false
    @Option(help: "Bits an inch, where not the track's own.") var density: Double?
    @Option(help: "Mean speed, cm/s.") var speed = 25.0
    @Option(help: "Speed profile: constant, linear, bell, hand, uneven, stick-slip.") var profile: Profile =
        .hand
    @Option(help: "Fastest to slowest, for linear, bell, uneven and stick-slip.") var ratio = 3.0
    @Option(name: .customLong("slip-length"), help: "Way from slip to slip, millimetres.") var slipLength =
        8.0
    @Option(name: .customLong("pulled-back"), help: "Stop half-way and go back so many millimetres.")
    var pulledBack: Double?
    @Flag(help: "Swipe the card backward.") var backward = false
    @Option(help: "Jitter of the transitions, standard deviation in percent of a cell.") var jitter = 2.0
    @Option(parsing: .unconditional, help: "Shift of every other transition, percent of a cell.")
    var asymmetry = 0.0
    @Option(name: .customLong("pulse-width"), help: "Width of a pulse at half height, micrometres.")
    var pulseWidth = 60.0
    @Option(help: "Transitions lost at random.") var lost = 0
    @Option(
        name: .customLong("density-error"), parsing: .unconditional,
        help: "Percent more bits an inch than said.")
    var densityError = 0.0
    @Option(help: "Times that the head lifts off the card, evenly over its length.") var lifts = 0
    @Option(name: .customLong("lift-length"), help: "How long a lift is, millimetres.") var liftLength = 6.0
    @Option(name: .customLong("lift-amplitude"), help: "What is left in its middle, percent.")
    var liftAmplitude = 20.0

    enum Profile: String, ExpressibleByArgument, CaseIterable {
        case constant, linear, bell, hand, uneven
        case stickSlip = "stick-slip"
    }

    func apply(to recipe: inout StripeRecipe) {
        let shape: SpeedProfile.Shape =
            switch profile {
            case .constant: .constant
            case .linear: .linear(ratio: ratio)
            case .bell: .bell(ratio: ratio)
            case .hand: .hand(variation: 0.12)
            case .uneven: .handWithin(ratio: ratio)
            case .stickSlip: .stickSlip(ratio: ratio, millimetres: slipLength)
            }
        recipe.speed = SpeedProfile(shape: shape, centimetresPerSecond: speed)
        recipe.speed.reversal = pulledBack.map {
            SpeedProfile.Reversal(place: 0.5, millimetres: min(max($0, 0), 80))
        }
        recipe.isBackward = backward
        recipe.jitter = min(max(jitter, 0), 50) / 100
        recipe.asymmetry = min(max(asymmetry, -40), 40) / 100
        recipe.pulseWidth = min(max(pulseWidth, 5), 1000)
        recipe.lostTransitions = min(max(lost, 0), 20)
        recipe.densityError = min(max(densityError, -50), 100) / 100
        let count = min(max(lifts, 0), 20)
        recipe.lifts = (0..<count).map { number in
            HeadLift(
                centre: (Double(number) + 0.5) / Double(count), millimetres: min(max(liftLength, 0.1), 100),
                amplitude: min(max(liftAmplitude, 0), 100) / 100)
        }
    }
}

/// The amplifier, the sound card and what else is heard.
struct SynthSoundOptions: ParsableArguments {
    @Flag(help: "Turn the polarity round.") var inverted = false
    @Option(parsing: .unconditional, help: "Peak level, dBFS.") var level = -8.0
    @Option(parsing: .unconditional, help: "Signal to white noise, dB.") var snr = 40.0
    @Option(parsing: .unconditional, help: "Mains hum relative to the signal, dB; harmonics come on top.")
    var hum: Double?
    @Option(name: .customLong("hum-frequency"), help: "Hz.") var humFrequency = 50.0
    @Option(parsing: .unconditional, help: "A neighbour track (1010…) relative to this one, dB.")
    var crosstalk: Double?
    @Option(help: "Clicks a second.") var clicks = 0.0
    @Option(parsing: .unconditional, help: "Thumps at the card's edges relative to the peaks, dB.") var thump:
        Double?
    @Option(help: "Clipping: how far the peaks are over full scale, dB.") var clip = 0.0
    @Option(parsing: .unconditional, help: "DC offset, percent of full scale.") var offset = 0.0
    @Option(name: .customLong("high-pass"), help: "AC coupling, Hz.") var highPass = 20.0
    @Option(name: .customLong("low-pass"), help: "Band limit, Hz.") var lowPass: Double?
    @Option(help: "Silence before and after, seconds.") var silence = 0.08

    func apply(to recipe: inout StripeRecipe) {
        recipe.isInverted = inverted
        recipe.level = min(max(level, -90), 0)
        recipe.signalToNoise = snr
        recipe.hum = hum.map { Hum(decibels: $0, frequency: min(max(humFrequency, 1), 1000)) }
        recipe.neighbour = crosstalk.map {
            Neighbour(bits: [1, 0], bitsPerInch: recipe.bitsPerInch < 140 ? 210 : 75, decibels: $0)
        }
        recipe.clicksPerSecond = min(max(clicks, 0), 1000)
        recipe.thump = thump
        recipe.clipping = min(max(clip, 0), 60)
        recipe.offset = min(max(offset, -100), 100) / 100
        recipe.highPass = highPass > 0 ? highPass : nil
        recipe.lowPass = lowPass.map { min(max($0, 50), 96_000) }
        recipe.silence = min(max(silence, 0), 60)
    }
}
