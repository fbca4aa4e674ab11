import ReaderKit

/// The sound card that an ALSA PCM name speaks of: `Headset` in `hw:CARD=Headset,DEV=0`, `1` in `plughw:1,0`.
struct SoundCardName: Sendable, Hashable {
    /// ALSA's own PCMs whose first argument is another PCM or a file.
    private static let wrappers: Set<Substring> = ["plug", "tee", "file", "shm"]

    /// The card's id or number; empty where none is named, as in `default`.
    let card: String

    init(_ pcm: String) {
        let isWrapper = Self.wrappers.contains(pcm.prefix { $0 != ":" })
        let arguments = pcm.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
        let fields = arguments.split(separator: ",")
        let named = fields.first { $0.hasPrefix("CARD=") }
        card = String(named?.dropFirst("CARD=".count) ?? (isWrapper ? "" : fields.first) ?? "")
    }

    /// Whether it is that device: by id, or by the number at the end of `…/sound/card1`.
    func names(_ device: DeviceIdentity) -> Bool {
        guard !card.isEmpty else { return false }
        return SoundCardName(device.node).card == card || device.syspath.hasSuffix("/card\(card)")
    }
}
