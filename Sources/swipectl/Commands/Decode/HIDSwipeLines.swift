import CardData
import HIDReaders
import ReaderKit
import SwipeProtocol

/// What `decode --hid` prints: for programs the same object as for sound (``SwipeLine``).
struct HIDSwipeLines {
    var file: String
    var reveals: Bool

    func json(_ found: HIDCapture.Found, _ index: Int) -> String {
        let swipe = found.swipe
        let quality = swipe.quality
        let direction = quality.direction?.rawValue
        return SwipeLine(
            file: file, index: index, model: found.model.rawValue, serial: found.serial, card: swipe.card,
            tracks: swipe.tracks.map { SwipeLine.Track(reading: $0, direction: direction) },
            encryption: swipe.encryption,
            quality: SwipeLine.Quality(
                direction: direction, repairedBits: quality.repairedBits, hint: quality.hint?.rawValue),
            hasChip: swipe.hasChip
        ).json(reveals: reveals)
    }

    /// For people: one line a track, and one for the ciphertext.
    func plain(_ found: HIDCapture.Found, _ index: Int) -> String {
        let place = "\(file): swipe \(index)"
        var text = found.swipe.tracks.map { reading in
            let content = (reveals ? reading.text?.reveal() : nil) ?? reading.masked ?? ""
            return "\(place): track \(reading.track) \(reading.status) \(content)\n"
        }.joined()
        if let encryption = found.swipe.encryption {
            let tracks = encryption.tracks.map { String($0.track) }.joined(separator: ", ")
            let scheme = encryption.scheme + (encryption.isSchemeAssumed ? " (assumed)" : "")
            text +=
<<<<<<< HEAD
                "\(place): encrypted, \(encryption.scheme), KSN \(SwipeLine.hex(encryption.keySerialNumber)), tracks \(tracks)\n"
        }
        return text
    }
=======
                "\(place): encrypted, \(scheme), KSN \(hex(encryption.keySerialNumber)), tracks \(tracks)\n"
        }
        return text
    }

    private func write(_ reading: TrackReading, _ quality: SwipeQuality, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("track", reading.track)
        writer.field("status", reading.status)
        if reveals { writer.field("text", ifPresent: reading.text?.reveal()) }
        writer.field("masked", ifPresent: reading.masked)
        writer.field("repaired_bits", 0)
        writer.field("direction", orNull: quality.direction?.rawValue)
        writer.endObject()
    }

    private func write(_ encryption: SwipeEncryption, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("scheme", encryption.scheme)
        writer.flag("scheme_assumed", encryption.isSchemeAssumed)
        writer.field("ksn", hex(encryption.keySerialNumber))
        writer.field("key_variant", ifPresent: encryption.keyVariant?.rawValue)
        writer.name("tracks")
        writer.beginArray()
        for track in encryption.tracks { write(track, &writer) }
        writer.endArray()
        if let magnePrint = encryption.magnePrint {
            writer.name("magneprint")
            writer.beginObject()
            writer.field("status", magnePrint.status)
            writer.field("ciphertext", hex(magnePrint.ciphertext))
            writer.field("ksn", ifPresent: magnePrint.keySerialNumber.map(hex))
            writer.endObject()
        }
        writer.field("session", ifPresent: encryption.session.map(hex))
        writer.field("counter", ifPresent: encryption.counter)
        if !encryption.readerStatus.isEmpty { writer.field("reader_status", encryption.readerStatus) }
        writer.endObject()
    }

    private func write(_ track: SwipeEncryption.Track, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("track", track.track)
        if !track.joinedTracks.isEmpty { writer.field("joined_tracks", track.joinedTracks) }
        writer.field("ciphertext", hex(track.ciphertext))
        writer.field("clear_length", ifPresent: track.clearLength)
        writer.field("hash", ifPresent: track.hash.map(hex))
        if !track.joinedHashes.isEmpty { writer.field("joined_hashes", track.joinedHashes.map(hex)) }
        writer.endObject()
    }

    private func write(_ quality: SwipeQuality, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("direction", orNull: quality.direction?.rawValue)
        writer.field("repaired_bits", quality.repairedBits)
        writer.field("hint", orNull: quality.hint?.rawValue)
        writer.endObject()
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
>>>>>>> 26d9d22 (Say where an ID TECH packet leaves its cipher open)
}
