import CardData
import ReaderKit
import ReaderPackets

/// A licence's third track on a line of its own, which begins like the first of another card.
package enum LicenceLines {
    /// Whether a line is the third track of the licence whose other tracks stand before it, and not another card's first.
    package static func isThirdTrack(_ line: [UInt8], of tracks: [UInt8]) -> Bool {
        guard tracks.count + line.count <= MagTekStream.maximumCharacters,
            let found = try? TrackScan.tracks(in: tracks + line), let third = found.last,
            let second = found.dropLast().last, [[1, 2, 3], [2, 1]].contains(found.map(\.track)),
            case .licence(let licence)? = Card.recognise(
                found.dropLast().map { reading($0, $0.track) } + [reading(third, 3)]),
            licence.details != nil
        else { return false }
        let another = Card.recognise([reading(third, 1), reading(second, 2)])
        guard case .licence(let other)? = another else { return false }
        return other.state == nil
    }

    private static func reading(_ found: TrackScan.Found, _ track: Int) -> TrackReading {
        let text = TrackTextCheck.withUsualSentinel(found.text)
        return TrackReading(track: track, outcome: .read(SensitiveText(utf8: text)))
    }
}
