import ArgumentParser
import WaveformSynthesis

/// The card and the hand that moves it.
struct SynthCardOptions: ParsableArguments {
    @Flag(help: "The argument is bits, recorded as they are.") var bits = false
    @Option(parsing: .unconditional, help: "Bits an inch, where not the track's own, \(Self.densities).")
    var density: Double?
    @Option(parsing: .unconditional, help: "Mean speed, \(Self.speeds).") var speed = 25.0
    @Option(help: "Speed profile: constant, linear, bell, hand, uneven, stick-slip.") var profile: Profile =
        .hand
    @Option(
        parsing: .unconditional,
        help: "Fastest to slowest, for linear, bell, uneven and stick-slip, \(Self.ratios).")
    var ratio = 3.0
    @Option(parsing: .unconditional, help: "Way from slip to slip, \(Self.ways).") var slipLength = 8.0
    @Option(parsing: .unconditional, help: "Stop half-way and go back so far, \(Self.backs).")
    var pulledBack: Double?
    @Flag(help: "Swipe the card backward.") var backward = false
    @Option(
        parsing: .unconditional, help: "Jitter of the transitions, standard deviation, \(Self.jitters).")
    var jitter = 2.0
    @Option(parsing: .unconditional, help: "Shift of every other transition, \(Self.asymmetries).")
    var asymmetry = 0.0
    @Option(parsing: .unconditional, help: "Width of a pulse at half height, \(Self.widths).")
    var pulseWidth = 60.0
    @Option(parsing: .unconditional, help: "Transitions lost at random, \(Self.counts).") var lost = 0
    @Option(parsing: .unconditional, help: "More bits an inch than said, \(Self.densityErrors).")
    var densityError = 0.0
    @Option(
        parsing: .unconditional,
        help: "Times that the head lifts off the card, evenly over its length, \(Self.counts).")
    var lifts = 0
    @Option(parsing: .unconditional, help: "How long a lift is, \(Self.ways).") var liftLength = 6.0
    @Option(parsing: .unconditional, help: "What is left in its middle, \(Self.shares).")
    var liftAmplitude = 20.0

    private static let densities = Bounds(2...1000)
    private static let speeds = Bounds(1...1000, "cm/s")
    private static let ratios = Bounds(1...100)
    private static let ways = Bounds(0.1...100, "millimetres")
    private static let backs = Bounds(0...80, "millimetres")
    private static let jitters = Bounds(0...50, "percent of a cell")
    private static let asymmetries = Bounds(-40...40, "percent of a cell")
    private static let widths = Bounds(5...1000, "micrometres")
    private static let counts = Bounds(0...20)
    private static let densityErrors = Bounds(-50...100, "percent")
    private static let shares = Bounds(0...100, "percent")

    enum Profile: String, ExpressibleByArgument, CaseIterable {
        case constant, linear, bell, hand, uneven
        case stickSlip = "stick-slip"
    }

    func validate() throws {
        try Self.densities.check("density", density)
        try Self.speeds.check("speed", speed)
        try Self.ratios.check("ratio", ratio)
        try Self.ways.check("slip-length", slipLength)
        try Self.backs.check("pulled-back", pulledBack)
        try Self.jitters.check("jitter", jitter)
        try Self.asymmetries.check("asymmetry", asymmetry)
        try Self.widths.check("pulse-width", pulseWidth)
        try Self.counts.check("lost", lost)
        try Self.densityErrors.check("density-error", densityError)
        try Self.counts.check("lifts", lifts)
        try Self.ways.check("lift-length", liftLength)
        try Self.shares.check("lift-amplitude", liftAmplitude)
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
        recipe.speed.reversal = pulledBack.map { SpeedProfile.Reversal(place: 0.5, millimetres: $0) }
        recipe.isBackward = backward
        recipe.jitter = jitter / 100
        recipe.asymmetry = asymmetry / 100
        recipe.pulseWidth = pulseWidth
        recipe.lostTransitions = lost
        recipe.densityError = densityError / 100
        recipe.lifts = (0..<lifts).map { number in
            HeadLift(
                centre: (Double(number) + 0.5) / Double(lifts), millimetres: liftLength,
                amplitude: liftAmplitude / 100)
        }
    }
}

/// The amplifier, the sound card and what else is heard.
struct SynthSoundOptions: ParsableArguments {
    @Flag(help: "Turn the polarity round.") var inverted = false
    @Option(parsing: .unconditional, help: "Peak level, \(Self.levels).") var level = -8.0
    @Option(parsing: .unconditional, help: "Signal to white noise, \(Self.ratios).") var snr = 40.0
    @Option(
        parsing: .unconditional,
        help: "Mains hum relative to the signal, \(Self.ratios); harmonics come on top.")
    var hum: Double?
    @Option(parsing: .unconditional, help: "Of the hum, \(Self.mains).") var humFrequency = 50.0
    @Option(
        parsing: .unconditional, help: "A neighbour track (1010…) relative to this one, \(Self.ratios).")
    var crosstalk: Double?
    @Option(parsing: .unconditional, help: "Clicks, \(Self.rates).") var clicks = 0.0
    @Option(
        parsing: .unconditional,
        help: "Thumps at the card's edges relative to the peaks, \(Self.ratios).")
    var thump: Double?
    @Option(
        parsing: .unconditional, help: "Clipping: how far the peaks are over full scale, \(Self.clips).")
    var clip = 0.0
    @Option(parsing: .unconditional, help: "DC offset, \(Self.offsets).") var offset = 0.0
    @Option(parsing: .unconditional, help: "AC coupling, \(Self.couplings); 0: none.") var highPass = 20.0
    @Option(parsing: .unconditional, help: "Band limit, \(Self.bands).") var lowPass: Double?
    @Option(parsing: .unconditional, help: "Silence before and after, \(Self.silences).") var silence = 0.08

    private static let levels = Bounds(-90...0, "dBFS")
    private static let ratios = Bounds(-200...200, "dB")
    private static let mains = Bounds(1...1000, "Hz")
    private static let rates = Bounds(0...1000, "a second")
    private static let clips = Bounds(0...60, "dB")
    private static let offsets = Bounds(-100...100, "percent of full scale")
    private static let couplings = Bounds(0...96_000, "Hz")
    private static let bands = Bounds(50...96_000, "Hz")
    private static let silences = Bounds(0...60, "seconds")

    func validate() throws {
        try Self.levels.check("level", level)
        try Self.ratios.check("snr", snr)
        try Self.ratios.check("hum", hum)
        try Self.mains.check("hum-frequency", humFrequency)
        try Self.ratios.check("crosstalk", crosstalk)
        try Self.rates.check("clicks", clicks)
        try Self.ratios.check("thump", thump)
        try Self.clips.check("clip", clip)
        try Self.offsets.check("offset", offset)
        try Self.couplings.check("high-pass", highPass)
        try Self.bands.check("low-pass", lowPass)
        try Self.silences.check("silence", silence)
    }

    func apply(to recipe: inout StripeRecipe) {
        recipe.isInverted = inverted
        recipe.level = level
        recipe.signalToNoise = snr
        recipe.hum = hum.map { Hum(decibels: $0, frequency: humFrequency) }
        recipe.neighbour = crosstalk.map {
            Neighbour(bits: [1, 0], bitsPerInch: recipe.bitsPerInch < 140 ? 210 : 75, decibels: $0)
        }
        recipe.clicksPerSecond = clicks
        recipe.thump = thump
        recipe.clipping = clip
        recipe.offset = offset / 100
        recipe.highPass = highPass > 0 ? highPass : nil
        recipe.lowPass = lowPass
        recipe.silence = silence
    }
}
