import CardData
import ReaderPackets

/// Which track a `%` begins that stands behind track 2, where no track 1 stands in front of it.
///
/// In a short stream nothing tells what reader typed it. MagTek's send the tracks in their order, and so a licence's third track;
/// others can be set to send the first one last (ID TECH, setting 3D). What the text says tells, beside track 2, or nothing does. In a
/// full stream and in a report the order is fixed.
enum TrackPlaces {
    private static let alphanumeric = UInt8(ascii: "%")
    private static let numeric = UInt8(ascii: ";")

    /// The tracks of a full stream with their numbers.
    static func inOrder(_ found: [TrackScan.Found]) throws(TrackScan.Refusal) -> [TrackScan.Found] {
        guard let late = try late(in: found) else { return found }
        guard !found.contains(where: { $0.track == 3 }) else { throw .unknownPlace }
        return found.dropLast() + [numbered(late, 3)]
    }

    /// The tracks of a short stream with their numbers.
    ///
    /// - Parameter found: what it holds, no part of it covered by the reader.
    static func byText(_ found: [TrackScan.Found]) throws(TrackScan.Refusal) -> [TrackScan.Found] {
        guard let late = try late(in: found) else { return turned(found) ?? found }
        let others = found.dropLast()
        if let third = others.first(where: { $0.track == 3 }) {
            // Of two numeric tracks that do not stand behind track 1 nobody knows which is which.
            guard third.text.first != numeric else { throw .unknownPlace }
            return found
        }
        guard !late.isErrorMark else { return others + [numbered(late, 3)] }
        guard let place = place(of: late, beside: others.filter { !$0.isErrorMark }) else {
            throw .unknownPlace
        }
        return others + [numbered(late, place)]
    }

    /// The text that begins like track 1, where track 2 stands in front of it. No reader sends it between others.
    private static func late(in found: [TrackScan.Found]) throws(TrackScan.Refusal) -> TrackScan.Found? {
        guard let place = found.firstIndex(where: { $0.text.first == alphanumeric }),
            found[..<place].contains(where: { $0.track == 2 })
        else { return nil }
        guard place == found.count - 1 else { throw .unknownPlace }
        return found[place]
    }

    /// A licence whose first and third tracks stand in each other's places; nil for any other card.
    private static func turned(_ found: [TrackScan.Found]) -> [TrackScan.Found]? {
        guard found.map(\.track) == [1, 2, 3], found[2].text.first == alphanumeric, !isWholeLicence(found)
        else { return nil }
        let turned = [numbered(found[2], 1), found[1], numbered(found[0], 3)]
        return isWholeLicence(turned) ? turned : nil
    }

    private static func isWholeLicence(_ found: [TrackScan.Found]) -> Bool {
        guard case .licence(let licence)? = Card.recognise(found.map { reading($0, $0.track) }) else {
            return false
        }
        return licence.state != nil && licence.details != nil
    }

    private static func numbered(_ found: TrackScan.Found, _ track: Int) -> TrackScan.Found {
        TrackScan.Found(track: track, text: found.text, range: found.range)
    }

    private static func place(of track: TrackScan.Found, beside others: [TrackScan.Found]) -> Int? {
        let isFirst =
            switch card(track, as: 1, others) {
            case .payment(let payment)?: payment.formatCode != nil
            case .licence(let licence)?: licence.state != nil
            case .jis2?, .other?, nil: false
            }
        let isThird =
            if case .licence(let licence)? = card(track, as: 3, others) { licence.details != nil } else {
                false
            }
        guard isFirst != isThird else { return nil }
        return isFirst ? 1 : 3
    }

    private static func card(
        _ track: TrackScan.Found, as number: Int, _ others: [TrackScan.Found]
    ) -> Card? {
        Card.recognise(others.map { reading($0, $0.track) } + [reading(track, number)])
    }

    /// The text as a track in clear, by what capital letters it is in.
    private static func reading(_ found: TrackScan.Found, _ track: Int) -> TrackReading {
        let text = TrackTextCheck.withUsualSentinel(MagTekStream.inCapitals(found.text))
        return TrackReading(track: track, outcome: .read(SensitiveText(utf8: text)))
    }
}
