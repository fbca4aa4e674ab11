import CardData
package import ReaderKit
import ReaderPackets

/// From a packet to a swipe.
extension IPSPacket {
    package func swipe() -> Swipe {
        let readings = (1...3).map { TrackReading(track: $0, outcome: outcome($0)) }
        return Swipe(tracks: readings, card: Card.recognise(readings), encryption: encryption)
    }

    private func outcome(_ track: Int) -> TrackOutcome {
        guard present[track - 1] else { return .empty }
        guard mode == .plain else { return .encrypted(masked: masked(track)) }
        guard let text = IPSTrackText.text(of: tracks, track: track) else { return .refused(.malformed) }
        return TrackTextCheck.outcome(text, track: track)
    }

    /// What the packet shows of a track, in the places where the card has it.
    private func masked(_ track: Int) -> String {
        let hidden = max(0, cardNumberLength - firstDigits.count - lastDigits.count)
        let number = firstDigits + String(repeating: "*", count: hidden) + lastDigits
        return switch track {
        case 1: "%B\(number)^\(name)^\(expiry)***?"
        case 2: ";\(number)=\(expiry)***?"
        case _: ""
        }
    }

    /// ASSUMPTION: all of it is one run of the cipher, since 20 and 60 bytes are no whole blocks of eight.
    private var encryption: SwipeEncryption? {
        guard mode != .plain else { return nil }
        let joined = [2] + [1, 3].filter { present[$0 - 1] }
        var encryption = SwipeEncryption(
            scheme: mode == .dukpt ? "dukpt-tdes" : "fixed-tdes", keySerialNumber: keySerialNumber,
            tracks: [SwipeEncryption.Track(track: 2, ciphertext: tracks, joinedTracks: joined)])
        encryption.compare(with: SentTracks(joined.map { Array(masked($0).utf8) } + [tracks]))
        return encryption
    }
}

/// The tracks of a packet that is not encrypted.
///
///     20 bytes   track 2, a digit a nibble: B is `;`, D is `=`, F is `?`
///     60 bytes   track 1, six bits a character from the highest on, 00 is a space; or track 3, like track 2
enum IPSTrackText {
    static func text(of tracks: [UInt8], track: Int) -> [UInt8]? {
        let first = tracks.prefix(IPSPacket.track2Bytes)
        let second = tracks.dropFirst(IPSPacket.track2Bytes)
        return switch track {
        case 1: characters(second)
        case 2: digits(first)
        case 3: digits(second)
        case _: nil
        }
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let text = bytes.flatMap { [$0 >> 4, $0 & 0x0F] }.map { $0 + UInt8(ascii: "0") }
        return ended(text)
    }

    private static func characters(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(UInt8(truncatingIfNeeded: bits >> UInt32(count) & 0x3F) + 0x20)
            }
            bits &= 0x3F
        }
        return ended(text)
    }

    private static func ended(_ text: [UInt8]) -> [UInt8]? {
        guard let end = text.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return Array(text[...end])
    }
}
