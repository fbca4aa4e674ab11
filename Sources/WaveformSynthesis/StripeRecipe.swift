/// Everything that makes a synthetic swipe. The defaults are a clean swipe at a hand's speed.
///
/// The order in which things happen is the physical one: bits, flux transitions on the card, pulses in space, the
/// card's motion, the head, the amplifier, the sound card. `docs/decoder.md` compares the ranges with real swipes.
package struct StripeRecipe: Sendable {
    // On the card.
    /// The bits between the clocking zeros.
    package var bits: [UInt8]
    package var bitsPerInch: Double
    package var leadingZeros: Int
    package var trailingZeros: Int
    /// Standard deviation of each transition's place, as a fraction of a (whole) cell; independent and Gaussian.
    package var jitter = 0.02
    /// Relative error of the density.
    package var densityError = 0.0
    /// Shift of every other transition, as a fraction of a cell: transitions of one polarity come late.
    package var asymmetry = 0.0
    /// How many transitions within the data are missing.
    package var lostTransitions = 0

    // The head.
    /// Width of a pulse at half its height, micrometres.
    package var pulseWidth = 60.0
    package var lifts: [HeadLift] = []
    /// A track beside this one, and how far down it is heard.
    package var neighbour: Neighbour?

    // The motion.
    package var speed = SpeedProfile(shape: .hand(variation: 0.12), centimetresPerSecond: 25)
    package var isBackward = false
    package var isInverted = false

    // The amplifier and the sound card.
    package var sampleRate = 44_100
    /// AC coupling, a first-order high-pass; nil: none.
    package var highPass: Double? = 20
    /// Band limit, a Butterworth low-pass of fourth order; nil: the sound card's own alone.
    package var lowPass: Double?
    /// Peak level relative to full scale, decibels.
    package var level = -8.0
    /// How far the peaks would be over full scale, decibels; 0: no clipping.
    package var clipping = 0.0
    package var bitDepth = 16
    /// Offset as a fraction of full scale.
    package var offset = 0.0

    // What is added. Decibels are relative to the swipe's own root mean square.
    /// Power of the signal over white noise in the whole band.
    package var signalToNoise: Double? = 40
    package var hum: Hum?
    package var clicksPerSecond = 0.0
    /// Thumps where the card's edges pass, peak over the signal's peak.
    package var thump: Double?
    /// Silence (with noise and hum) before and after, seconds.
    package var silence = 0.08

    package init(bits: [UInt8], bitsPerInch: Double, leadingZeros: Int = 22, trailingZeros: Int = 20) {
        self.bits = bits
        self.bitsPerInch = bitsPerInch
        self.leadingZeros = leadingZeros
        self.trailingZeros = trailingZeros
    }
}

/// A stretch where the head loses contact: less amplitude, and wider pulses, as spacing loss makes them.
package struct HeadLift: Sendable {
    /// Of the stripe's length, 0…1.
    package var centre: Double
    package var millimetres: Double
    /// Amplitude left in the middle, 0…1.
    package var amplitude: Double
    /// Whether the amplitude changes abruptly (a worn stretch) or like a bump.
    package var isAbrupt: Bool

    package init(centre: Double, millimetres: Double, amplitude: Double, isAbrupt: Bool = false) {
        self.centre = centre
        self.millimetres = millimetres
        self.amplitude = amplitude
        self.isAbrupt = isAbrupt
    }
}

package struct Neighbour: Sendable {
    package var bits: [UInt8]
    package var bitsPerInch: Double
    package var decibels: Double

    package init(bits: [UInt8], bitsPerInch: Double, decibels: Double) {
        self.bits = bits
        self.bitsPerInch = bitsPerInch
        self.decibels = decibels
    }
}

package struct Hum: Sendable {
    package var frequency: Double
    /// The fundamental's root mean square over the swipe's own; the harmonics come on top.
    package var decibels: Double
    /// Each harmonic's amplitude relative to the one before it.
    package var decay: Double
    package var harmonics: Int

    package init(decibels: Double, frequency: Double = 50, decay: Double = 0.5, harmonics: Int = 7) {
        self.decibels = decibels
        self.frequency = frequency
        self.decay = decay
        self.harmonics = harmonics
    }
}

/// How fast the card moves along its way.
package struct SpeedProfile: Sendable {
    package enum Shape: Sendable {
        case constant
        /// From `1` to `ratio` times the speed, evenly in time; the mean is the speed.
        case linear(ratio: Double)
        /// Slow, fast, slow; fastest to slowest is `ratio`.
        case bell(ratio: Double)
        /// A smooth random walk, with this relative standard deviation.
        case hand(variation: Double)
        /// A smooth random walk whose fastest is exactly `ratio` times its slowest.
        case handWithin(ratio: Double)
        /// Slow build-up and quick slip between slow and `ratio` times as fast, every `millimetres`.
        case stickSlip(ratio: Double, millimetres: Double)
    }

    /// A hand that stops, pulls the card back a little, waits, and goes on.
    package struct Reversal: Sendable {
        /// Where on the way, 0…1.
        package var place: Double
        /// 0: it only stops.
        package var millimetres: Double
        package var pauseSeconds: Double

        package init(place: Double, millimetres: Double, pauseSeconds: Double = 0) {
            self.place = place
            self.millimetres = millimetres
            self.pauseSeconds = pauseSeconds
        }
    }

    package var shape: Shape
    /// Mean over the card's length.
    package var centimetresPerSecond: Double
    package var reversal: Reversal?

    package init(shape: Shape, centimetresPerSecond: Double) {
        self.shape = shape
        self.centimetresPerSecond = centimetresPerSecond
    }
}
