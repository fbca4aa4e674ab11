package import ReaderKit

/// Turns the sound of a reader into bytes, as a profile says.
///
///     samples -> LevelSlicer -> changes -> BitClock -> bits -> ByteFramer -> bytes
///
/// It never says that a packet is right: that is for the packet's own check bytes.
package struct AcousticDemodulator: Sendable {
    /// Changes in a row that fit the bit before a burst is believed and told of.
    private static let believedChanges = 12
    /// What a run may be away from a whole number of bits before it counts as a stranger's.
    private static let strangeness = 0.36
    /// How far a sound may be from the code before it is no reader's: a strange run counts, five that fit forgive it.
    private static let strangerScore = 60
    private static let strangerWeight = 5
    /// Preambles longer than so many of the profile's are a tone.
    private static let longestPreambles = 4
    private static let preambleByte: UInt8 = 0x55

    private let samplesPerBit: Double
    private let isInverted: Bool
    private let code: AcousticProfile.LineCode
    private let longestPreamble: Int
    /// Bits without a change after which nobody sends any more.
    private let longestRun: Double
    private var slicer: LevelSlicer
    private var clock: BitClock
    private var framer: ByteFramer
    private var events: [AcousticEvent] = []
    private var burst = AcousticBurst()
    private var isHeard = false
    private var fitting = 0
    private var strangers = 0
    /// Samples since a byte that is none of the preamble's.
    private var meaningless = 0

    package init(
        profile: AcousticProfile, sampleRate: Int, speaker: AcousticModulator.Speaker = .reader
    ) {
        samplesPerBit = Double(max(1, sampleRate)) / Double(max(1, profile.baud))
        let polarity = speaker == .reader ? profile.replyPolarity : profile.commandPolarity
        isInverted = polarity == .inverted
        code = profile.code
        let bits = Double(Self.longestPreambles * (profile.preambleBits + profile.gapBits) + 100)
        longestPreamble = Int(min(bits * samplesPerBit, 1e9))
        longestRun = profile.code == .uart ? Double(max(profile.bitsPerByte, profile.gapBits) + 3) : 4
        slicer = LevelSlicer(
            samplesPerBit: samplesPerBit, quietestSwing: profile.quietestSwing, overNoise: profile.overNoise)
        clock = BitClock(code: profile.code, samplesPerBit: samplesPerBit)
        framer = ByteFramer(parity: profile.parity)
    }

    package mutating func process(_ samples: Span<Int16>) -> [AcousticEvent] {
        for index in samples.indices { hear(Float(samples[index])) }
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Samples were lost: what was begun cannot be ended.
    package mutating func interrupt() {
        finish(ago: 0)
        slicer.reset()
    }

    private mutating func hear(_ sample: Float) {
        let step = slicer.process(isInverted ? -sample : sample)
        if case .ended(let ago) = step { return finish(ago: ago) }
        guard slicer.phase != .quiet else { return }
        burst.samples &+= 1
        meaningless &+= 1
        switch step {
        case .nothing, .ended: if let bit = clock.advance() { deliver(bit) }
        case .began: begin()
        case .changed(let isHigh, let ago): change(isHigh, ago)
        }
        if clock.runBits > longestRun {
            // To quantised feedback any constant is a level, the overshoot of a line that was let go too.
            slicer.reset()
            finish(ago: clock.runBits * samplesPerBit)
        } else if meaningless > longestPreamble {
            giveUp()
        }
    }

    private mutating func begin() {
        burst = AcousticBurst()
        (isHeard, fitting, strangers, meaningless) = (false, 0, 0, 0)
        framer.reset()
        clock.start(isHigh: slicer.isHigh)
    }

    private mutating func change(_ isHigh: Bool, _ ago: Double) {
        var bits: [BitClock.Bit] = []
        let strangeness = clock.change(isHigh: isHigh, ago: ago) { bits.append($0) }
        for bit in bits { deliver(bit) }
        if strangeness > Self.strangeness {
            fitting = 0
            strangers += Self.strangerWeight
            if strangers > Self.strangerScore { giveUp() }
        } else {
            fitting += 1
            strangers = max(0, strangers - 1)
            if !isHeard, fitting >= Self.believedChanges {
                isHeard = true
                events.append(.burstStarted)
            }
        }
    }

    private mutating func deliver(_ bit: BitClock.Bit) {
        switch bit {
        case .bit(let bit): tell(framer.receive(bit))
        case .moved(let bit):
            tell(framer.restart())
            tell(framer.receive(bit))
        // Where pulses tell bits, none comes before a pulse that tells where they begin.
        case .lost: tell(code == .uart ? framer.lose() : framer.restart())
        }
    }

    private mutating func tell(_ event: AcousticEvent?) {
        guard let event, isHeard else { return }
        switch event {
        case .byte(let byte):
            burst.bytes += 1
            if byte != Self.preambleByte || code != .uart { meaningless = 0 }
        case .framingError, .parityError: burst.errors += 1
        case .burstStarted, .burstEnded: break
        }
        burst.level = slicer.level
        burst.offset = slicer.offset
        burst.samplesPerBit = clock.samplesPerBit
        events.append(event)
    }

    private mutating func giveUp() {
        slicer.absorb()
        finish(ago: 0)
    }

    private mutating func finish(ago: Double) {
        defer { isHeard = false }
        guard isHeard else { return }
        // A byte that the silence cut short is dropped without a word: the line's release looks like a start bit, and a packet
        // that lacks a byte does not pass its own checks.
        framer.reset()
        burst.samples = max(0, burst.samples - Int(ago))
        events.append(.burstEnded(burst))
    }
}
