import Captures
import CardData
import ReaderKit
import SwipeProtocol

/// What `decode --hid` prints: for programs the same object as for sound (``SwipeLine``).
struct HIDSwipeLines {
    var file: String
    var reveals: Bool

    func json(_ found: HIDCapture.Found, _ index: Int) -> String {
        json(found.swipe, model: found.model.rawValue, serial: found.serial, index)
    }

    func json(_ swipe: Swipe, model: String, serial: String?, _ index: Int) -> String {
        let quality = swipe.quality
        let direction = quality.direction?.rawValue
        return SwipeLine(
            file: file, index: index, model: model, serial: serial, card: swipe.card,
            tracks: swipe.tracks.map { SwipeLine.Track(reading: $0, direction: direction) },
            encryption: swipe.encryption,
            quality: SwipeLine.Quality(
                direction: direction, repairedBits: quality.repairedBits, hint: quality.hint?.rawValue),
            hasChip: swipe.hasChip
        ).json(reveals: reveals)
    }

    /// For people: one line a track, and one for the ciphertext.
    func plain(_ found: HIDCapture.Found, _ index: Int) -> String { plain(found.swipe, index) }

    func plain(_ swipe: Swipe, _ index: Int) -> String {
        let place = "\(file.printable): swipe \(index)"
        let shown = MaskedSwipe(swipe.tracks, card: swipe.card)
        var text = zip(swipe.tracks, shown.texts).map { reading, masked in
            let content = (reveals ? reading.text?.reveal() : nil) ?? masked ?? ""
            return "\(place): track \(reading.track) \(reading.status) \(content)\n"
        }.joined()
        if let encryption = swipe.encryption {
            text += "\(place): encrypted, " + words(of: encryption).joined(separator: ", ") + "\n"
        }
        guard text.isEmpty else { return text }
        return "\(place): not read" + (swipe.quality.hint.map { " (\($0.rawValue))" } ?? "") + "\n"
    }

    /// Pairs of capital digits, without anything between them.
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private func words(of encryption: SwipeEncryption) -> [String] {
        let tracks = encryption.tracks.flatMap { $0.joinedTracks.isEmpty ? [$0.track] : $0.joinedTracks }
        let scheme = encryption.scheme + (encryption.isSchemeAssumed ? " (assumed)" : "")
        let named = tracks.isEmpty ? "no track" : "tracks " + tracks.map(String.init).joined(separator: " ")
        let key =
            reveals || !encryption.isOfCard
            ? "KSN \(Self.hexadecimal(encryption.keySerialNumber))" : "a KSN that has the card's digits"
        let words = [scheme, key, named]
        return words + encryption.readerStatus.map { String($0.map { $0 == "_" ? " " : $0 }) }
    }
}
