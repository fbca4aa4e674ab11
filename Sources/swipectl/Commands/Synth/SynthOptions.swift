import ArgumentParser
import WaveformSynthesis

/// The card and the hand that moves it.
struct SynthCardOptions: ParsableArguments {
    @Flag(help: "The argument is bits, recorded as they are.") var bits = false
    @Option(help: "Bits an inch, where not the track's own.") var density: Double?
    @Option(help: "Mean speed, cm/s.") var speed = 25.0
    @Option(help: "Speed profile: constant, linear, bell, hand, stick-slip.") var profile: Profile = .hand
    @Option(help: "Fastest to slowest, for linear, bell and stick-slip.") var ratio = 3.0
    @Flag(help: "Swipe the card backward.") var backward = false
    @Option(help: "Jitter of the transitions, standard deviation in percent of a cell.") var jitter = 2.0
    @Option(help: "Shift of every other transition, percent of a cell.") var asymmetry = 0.0
    @Option(name: .customLong("pulse-width"), help: "Width of a pulse at half height, micrometres.")
    var pulseWidth = 60.0
    @Option(help: "Transitions lost at random.") var lost = 0

    enum Profile: String, ExpressibleByArgument, CaseIterable {
        case constant, linear, bell, hand
        case stickSlip = "stick-slip"
    }

    func apply(to recipe: inout StripeRecipe) {
        let shape: SpeedProfile.Shape =
            switch profile {
            case .constant: .constant
            case .linear: .linear(ratio: ratio)
            case .bell: .bell(ratio: ratio)
            case .hand: .hand(variation: 0.12)
            case .stickSlip: .stickSlip(ratio: ratio, millimetres: 8)
            }
        recipe.speed = SpeedProfile(shape: shape, centimetresPerSecond: speed)
        recipe.isBackward = backward
        recipe.jitter = min(max(jitter, 0), 50) / 100
        recipe.asymmetry = min(max(asymmetry, -40), 40) / 100
        recipe.pulseWidth = min(max(pulseWidth, 5), 1000)
        recipe.lostTransitions = min(max(lost, 0), 20)
    }
}

/// The amplifier, the sound card and what else is heard.
struct SynthSoundOptions: ParsableArguments {
    @Flag(help: "Turn the polarity round.") var inverted = false
    @Option(help: "Peak level, dBFS.") var level = -8.0
    @Option(help: "Signal to white noise, dB.") var snr = 40.0
    @Option(help: "Mains hum relative to the signal, dB.") var hum: Double?
    @Option(help: "Clicks a second.") var clicks = 0.0
    @Option(help: "Thumps at the card's edges relative to the peaks, dB.") var thump: Double?
    @Option(help: "Clipping: how far the peaks are over full scale, dB.") var clip = 0.0
    @Option(help: "DC offset, percent of full scale.") var offset = 0.0
    @Option(name: .customLong("high-pass"), help: "AC coupling, Hz.") var highPass = 20.0
    @Option(name: .customLong("low-pass"), help: "Band limit, Hz.") var lowPass: Double?
    @Option(help: "Silence before and after, seconds.") var silence = 0.08

    func apply(to recipe: inout StripeRecipe) {
        recipe.isInverted = inverted
        recipe.level = min(max(level, -90), 0)
        recipe.signalToNoise = snr
        recipe.hum = hum.map { Hum(decibels: $0) }
        recipe.clicksPerSecond = min(max(clicks, 0), 1000)
        recipe.thump = thump
        recipe.clipping = min(max(clip, 0), 60)
        recipe.offset = min(max(offset, -100), 100) / 100
        recipe.highPass = highPass > 0 ? highPass : nil
        recipe.lowPass = lowPass.map { min(max($0, 50), 96_000) }
        recipe.silence = min(max(silence, 0), 60)
    }
}
