public import CardData

/// What a swipe gave, as far as one view may see it.
public struct SwipeData: Sendable, Hashable {
    /// The card; nil when nothing was readable, or for the view `status`.
    public var card: CardInfo?
    /// One entry for each track of the reader.
    public var tracks: [TrackInfo]
    /// What the reader encrypted; nil from a reader that sends clear text.
    public var encryption: SwipeEncryption?
    /// How well it was read.
    public var quality: SwipeQuality
    /// The reader says that the card has a chip, which a till should ask for rather than the stripe. False where it says
    /// nothing of it; what the stripe itself says is in the card's service code.
    public var hasChip: Bool

    /// What a swipe gave.
    public init(
        card: CardInfo? = nil, tracks: [TrackInfo], encryption: SwipeEncryption? = nil,
        quality: SwipeQuality = SwipeQuality(), hasChip: Bool = false
    ) {
        self.hasChip = hasChip
        self.card = card
        self.tracks = tracks
        self.encryption = encryption
        self.quality = quality
    }

    /// Whether it holds card data in clear.
    var isSensitive: Bool {
        tracks.contains { $0.text != nil } || card?.pan?.number != nil || card?.name != nil
            || card?.fields.isEmpty == false || card?.properties.isEmpty == false
    }
}

extension SwipeData: WireObject {
    package static var blank: SwipeData { SwipeData(tracks: []) }
    package static var definition: String? { "swipe" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.orNull("card", &card)
        try fields.required("tracks", &tracks)
        try fields.orNull("encryption", &encryption)
        try fields.usual("quality", &quality)
        try fields.flag("chip", &hasChip)
    }
}

extension SwipeData {
    /// Whether so much of the sound is cut off that the input's gain should be lowered.
    package var isClipped: Bool { quality.isClipped }
}
