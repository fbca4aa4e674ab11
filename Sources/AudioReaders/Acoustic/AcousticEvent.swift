/// What a demodulator hears.
package enum AcousticEvent: Sendable, Hashable {
    /// A reader began to send: its preamble is there.
    case burstStarted
    case byte(UInt8)
    /// A byte without its stop bit, or a pulse that the line code does not know. What was collected of a packet is void.
    case framingError
    case parityError
    /// The reader fell silent.
    case burstEnded(AcousticBurst)
}

/// The measures of one burst.
package struct AcousticBurst: Sendable, Hashable {
    /// From its first sample to its last, in samples.
    package var samples: Int
    /// The number of bytes, preamble included.
    package var bytes: Int
    package var errors: Int
    /// Half the distance between the two levels, 0…1 of full scale.
    package var level: Double
    /// The middle between the two levels at the end, of full scale.
    package var offset: Double
    /// The bit as measured, in samples.
    package var samplesPerBit: Double

    package init(
        samples: Int = 0, bytes: Int = 0, errors: Int = 0, level: Double = 0, offset: Double = 0,
        samplesPerBit: Double = 0
    ) {
        self.samples = samples
        self.bytes = bytes
        self.errors = errors
        self.level = level
        self.offset = offset
        self.samplesPerBit = samplesPerBit
    }
}
