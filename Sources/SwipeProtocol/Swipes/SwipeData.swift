/// What a swipe gave, as far as one view may see it.
public struct SwipeData: Sendable, Hashable {
    /// The card; nil when nothing was readable, or for the view `status`.
    public var card: CardInfo?
    /// One entry for each track of the reader.
    public var tracks: [TrackInfo]
    /// What the reader encrypted; nil from a reader that sends clear text.
    public var encryption: EncryptionInfo?
    /// How well it was read.
    public var quality: QualityInfo
    /// The reader says that the card has a chip, which a till should ask for rather than the stripe. False where it says
    /// nothing of it; what the stripe itself says is in the card's service code.
    public var hasChip: Bool

    /// What a swipe gave.
    public init(
        card: CardInfo? = nil, tracks: [TrackInfo], encryption: EncryptionInfo? = nil,
        quality: QualityInfo = QualityInfo(), hasChip: Bool = false
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
            || card?.fields.isEmpty == false
    }
}

extension SwipeData: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("card", orNull: card)
        writer.field("tracks", tracks)
        writer.field("encryption", orNull: encryption)
        writer.field("quality", quality)
        writer.flag("chip", hasChip)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        card = try object.optional("card")
        tracks = try object.required("tracks")
        encryption = try object.optional("encryption")
        quality = try object.optional("quality") ?? QualityInfo()
        hasChip = try object.optional("chip") ?? false
    }
}
