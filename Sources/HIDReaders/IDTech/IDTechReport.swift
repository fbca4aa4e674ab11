import CardData
package import ReaderKit
package import ReaderPackets

/// ID TECH's own HID report (usage page 0xFF00, usages 30 and 31).
///
///     E1 E2 E3 L1 L2 L3 CC TT TT data… 00…
///
/// E: decode status of each track, 1 meaning error · L: length of each · C: type of coding · T: length of the data,
/// low byte first · data: a packet, or tracks in clear
///
/// ASSUMPTION: the byte order of the length, and whether the header is filled in when the reader encrypts, are nobody's
/// word. So a packet, which has check bytes of its own, is believed wherever it stands, also in the tag in which readers for
/// chip cards put it, and the header only where the data is clear text: see ``IDTechClearTracks``.
package enum IDTechReport {
    package static let headerBytes = 9
    /// A packet begins within this many bytes, or the report has none.
    static let searchedBytes = 16
    package static let knownLengths = [509, 512]

    package enum Refusal: Error, Sendable, Hashable {
        case packet(IDTechPacket.Refusal)
        case tracks(TrackScan.Refusal)
        /// The header and the tracks behind it do not go together.
        case contradiction
        case tooShort
        case empty
        /// No track was read, and the bytes that say why hold what no document names.
        case unknownStatus

        package var sentence: String {
            switch self {
            case .packet(let refusal): refusal.rawValue
            case .tracks(let refusal): refusal.rawValue
            case .contradiction: "report whose header and tracks contradict each other"
            case .tooShort: "report is too short"
            case .empty: "report without a packet or a track"
            case .unknownStatus: "status bytes that no reader sends"
            }
        }
    }

    package enum Content: Sendable {
        /// A packet, and where in the report it ends.
        case packet(IDTechPacket, end: Int)
        case clear(Swipe)
    }

    /// - Parameter settings: what is known of the reader, where its packets do not say it.
    package static func parse(
        _ bytes: [UInt8], settings: IDTechSettings = IDTechSettings()
    ) throws(Refusal) -> Content {
        guard bytes.count > headerBytes else { throw .tooShort }
        if let found = try packet(in: bytes, settings) { return .packet(found.packet, end: found.end) }
        return .clear(try clearSwipe(bytes))
    }

    /// The first place that holds a whole packet; what is wrong with a broken one where none does.
    private static func packet(
        in bytes: [UInt8], _ settings: IDTechSettings
    ) throws(Refusal) -> (packet: IDTechPacket, end: Int)? {
        var broken: IDTechPacket.Refusal?
        for start in bytes.indices.prefix(searchedBytes) where bytes[start] == IDTechFrame.start {
            do throws(IDTechPacket.Refusal) {
                let frame = try IDTechFrame.binary(bytes, at: start)
                return (try IDTechPacket(frame, settings: settings), frame.endIndex)
            } catch {
                // Elsewhere a 02 may be no packet's start: then there is no end mark where its length would put it.
                let isUsual = start == 0 || start == headerBytes
                if isUsual || error != .truncated && error != .noEnd { broken = broken ?? error }
            }
        }
        for range in IDTechTags.packets(in: bytes) {
            do throws(IDTechPacket.Refusal) {
                return (try IDTechTags.packet(in: bytes, range), range.upperBound)
            } catch {
                broken = error
            }
        }
        if let broken { throw .packet(broken) }
        return nil
    }

    private static func clearSwipe(_ bytes: [UInt8]) throws(Refusal) -> Swipe {
        let announced = Int(bytes[7]) | Int(bytes[8]) << 8
        let rest = bytes[headerBytes...]
        let data = announced > 0 && announced <= rest.count ? rest.prefix(announced) : rest.prefix { $0 != 0 }
        let found: [TrackScan.Found]
        do throws(TrackScan.Refusal) { found = try TrackScan.tracks(in: Array(data)) } catch {
            throw .tracks(error)
        }
        let readings = try IDTechClearTracks(header: bytes.prefix(headerBytes)).readings(of: found)
        let swipe = Swipe(tracks: readings, card: Card.recognise(readings))
        guard swipe.readTracks > 0 || bytes.prefix(3).allSatisfy({ $0 <= 1 }) else { throw .unknownStatus }
        return swipe
    }
}
