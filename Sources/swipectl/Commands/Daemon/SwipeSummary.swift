import CardData
import SwipeProtocol

/// A swipe in a few words: the card as far as the daemon shows it, then the tracks, then how it went.
enum SwipeSummary {
    static func text(_ swipe: SwipeData) -> String {
        let parts = [
            card(swipe.card), tracks(swipe.tracks), encryption(swipe.encryption), quality(swipe.quality),
            swipe.hasChip ? "has a chip" : "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// The number stays masked here whatever the daemon shows, in the name too: a terminal keeps what scrolls by.
    private static func card(_ card: CardInfo?) -> String {
        guard let card else { return "" }
        let number = card.pan.map { pan in
            [pan.brand, pan.masked].compactMap(\.self).joined(separator: " ")
        }
        let expiry = card.expiry.map { "expires \($0.dropFirst(2))/\($0.prefix(2))" }
        let name = card.name.flatMap { CardholderName(field: $0.revealBytes())?.masked }
        return [number ?? card.kind.rawValue, expiry, name?.reveal()].compactMap(\.self)
            .joined(separator: "  ")
    }

    private static func tracks(_ tracks: [TrackInfo]) -> String {
        let read = tracks.map { "\($0.track) \(words($0.status.rawValue))" }
        return read.isEmpty ? "" : "tracks: " + read.joined(separator: ", ")
    }

    private static func encryption(_ encryption: SwipeEncryption?) -> String {
        guard let encryption else { return "" }
        let tracks = encryption.tracks.flatMap { $0.joinedTracks.isEmpty ? [$0.track] : $0.joinedTracks }
        let named = tracks.map { String($0) }.joined(separator: ", ")
        // Which tracks they are is for the view `full`.
        return "encrypted" + (named.isEmpty ? "" : ": " + named) + " (\(encryption.scheme))"
    }

    private static func quality(_ quality: SwipeQuality) -> String {
        let speed = quality.speed.flatMap { Int(exactly: $0.rounded()) }.map { "\($0) cm/s" }
        let direction = quality.direction == .backward ? "backward" : nil
        let hint = quality.hint.map { words($0.rawValue) }
        let clipped = quality.isClipped ? "clipped: lower the input's gain" : nil
        return [direction, speed, hint, clipped].compactMap(\.self).joined(separator: ", ")
    }

    private static func words(_ name: String) -> String { String(name.map { $0 == "_" ? " " : $0 }) }
}
