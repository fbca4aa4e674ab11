/// What a tenth of a second of a reader's sound input was like, in whole decibels of full scale.
///
/// While a card passes it says only the highest level so far: nothing that is on the card follows from it.
public struct SoundLevel: Sendable, Hashable {
    /// The mains, as they are heard.
    public struct Hum: Sendable, Hashable {
        /// 50 or 60.
        public var hertz: Int
        /// How strong, as a root of a mean square.
        public var decibels: Int

        /// A hum.
        public init(hertz: Int, decibels: Int) {
            self.hertz = hertz
            self.decibels = decibels
        }
    }

    /// Counts the tenths of a second that were measured. Ask for what comes after it.
    public var number: UInt64
    /// The highest sample; while the gate is open, the highest since it opened.
    public var peak: Int
    /// The noise, as a root of a mean square; nil in the first seconds, and until no card passes.
    public var floor: Int?
    /// The mains, where they are a tenth of the noise's power or more.
    public var hum: Hum?
    /// Whether a sample stood at the end of the scale; while the gate is open, one since it opened.
    public var isClipped: Bool
    /// Whether the gate was open in some part of it: a card may have passed.
    public var isOpen: Bool
    /// The outline of a passage that ended a second before: how high ten parts of it were, in percent of the highest and in steps of 20.
    public var passage: [Int]?

    /// A level.
    public init(
        number: UInt64, peak: Int, floor: Int? = nil, hum: Hum? = nil, isClipped: Bool = false,
        isOpen: Bool = false, passage: [Int]? = nil
    ) {
        self.number = number
        self.peak = peak
        self.floor = floor
        self.hum = hum
        self.isClipped = isClipped
        self.isOpen = isOpen
        self.passage = passage
    }
}

extension SoundLevel: WireObject {
    package static var blank: SoundLevel { SoundLevel(number: 0, peak: 0) }
    package static var definition: String? { "level" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("number", &number)
        try fields.required("peak_db", &peak, as: AnyInteger.self)
        try fields.optional("floor_db", &floor, as: AnyInteger.self)
        try fields.optional("hum", &hum)
        try fields.required("clipped", &isClipped)
        try fields.required("open", &isOpen)
        try fields.optional("passage", &passage)
    }
}

extension SoundLevel.Hum: WireObject {
    package static var blank: SoundLevel.Hum { SoundLevel.Hum(hertz: 0, decibels: 0) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("hz", &hertz, as: AnyInteger.self)
        try fields.required("db", &decibels, as: AnyInteger.self)
    }
}
