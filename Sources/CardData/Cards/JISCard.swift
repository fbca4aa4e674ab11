/// A Japanese card's front stripe (JIS X 6302 type II): 69 characters at most between two identical sentinels.
public struct JISCard: Sendable, Hashable {
    /// The most characters between the sentinels.
    public static let longestData = 69

    /// The first character, which tells what the card is for.
    public let identifier: SensitiveText
    /// Everything after the identifier.
    public let data: SensitiveText

    init?(_ track: ReadTrack) {
        let sentinel = TrackFormat.jis2.startSentinel
        guard !track.isCovered, track.bytes.count > 2, track.bytes.first == sentinel,
            track.bytes.last == sentinel
        else { return nil }
        let content = track.bytes.dropFirst().dropLast()
        guard content.count <= Self.longestData, content.allSatisfy({ $0 < sentinel }) else { return nil }
        identifier = SensitiveText(utf8: content.prefix(1))
        data = SensitiveText(utf8: content.dropFirst())
    }
}
