import CardData
import ReaderKit
import SwipeProtocol

/// A swipe as `decode --json` prints it: the same members in the same order for sound and for captures of HID readers, null
/// where one of them cannot know.
struct SwipeLine {
    /// What is known of a track beside its text.
    struct Track {
        var reading: TrackReading
        var direction: String?
    }

    /// How the swipe was read.
    struct Quality {
        var direction: String?
        /// cm/s; as sound alone tells.
        var speed: Double?
        /// dB; as sound alone tells.
        var noise: Double?
        /// Percent of a bit's width; as sound alone tells.
        var jitter: Double?
        /// Percent of the loud part; as sound alone tells.
        var clipped: Double?
        var repairedBits: Int
        /// Put together from what passed before and after a stop.
        var isJoined = false
        var hint: String?
    }

    var file: String
    var index: Int
    /// Of a HID reader's capture.
    var model: String?
    /// Of a HID reader's capture that holds it.
    var serial: String?
    /// Seconds from the begin of a recording.
    var start: Double?
    var duration: Double?
    var card: Card?
    var tracks: [Track]
    var encryption: SwipeEncryption?
    var quality: Quality
    var hasChip = false

    func json(reveals: Bool) -> String {
        var writer = JSONWriter(isSensitive: true)
        writer.beginObject()
        writer.field("file", file)
        writer.field("swipe", index)
        writer.field("model", orNull: model)
        writer.field("serial", orNull: serial)
        writer.field("start_s", orNull: start)
        writer.field("duration_s", orNull: duration)
        let masked = MaskedSwipe(tracks.map(\.reading), card: card)
        writer.field("card", orNull: masked.info(reveals: reveals))
        writer.name("tracks")
        writer.beginArray()
        for (track, text) in zip(tracks, masked.texts) { write(track, masked: text, reveals, &writer) }
        writer.endArray()
        if let encryption, !reveals {
            writer.name("encryption")
            encryption.writeShown(to: &writer)
        } else {
            writer.field("encryption", orNull: encryption)
        }
        writer.name("quality")
        writeQuality(&writer)
        writer.flag("chip", hasChip)
        writer.endObject()
        return writer.finish().text
    }

    private func write(_ track: Track, masked: String?, _ reveals: Bool, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("track", track.reading.track)
        writer.field("status", track.reading.status)
        if reveals {
            writer.field("text", ifPresent: track.reading.text?.reveal())
            writer.field("discretionary", ifPresent: track.reading.discretionaryData(of: card)?.reveal())
        }
        writer.field("masked", ifPresent: masked)
        writer.field("repaired_bits", track.reading.repairedBits)
        writer.field("direction", orNull: track.direction)
        writer.endObject()
    }

    private func writeQuality(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("direction", orNull: quality.direction)
        writer.field("speed_cm_s", orNull: quality.speed)
        writer.field("snr_db", orNull: quality.noise)
        writer.field("jitter_percent", orNull: quality.jitter)
        writer.field("clipped_percent", orNull: quality.clipped)
        writer.field("repaired_bits", quality.repairedBits)
        if quality.isJoined { writer.field("joined", true) }
        writer.field("hint", orNull: quality.hint)
        writer.name("tracks")
        writer.beginArray()
        for track in tracks { writeDetails(track.reading, &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// What is known of a track beyond its text: the format, and where the reading of a refused one ended.
    private func writeDetails(_ reading: TrackReading, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("track", reading.track)
        writer.field("format", orNull: reading.format)
        if case .refused(let refusal) = reading.outcome {
            writer.field("at_bit", ifPresent: refusal.bitPosition)
            writer.field("doubt", ifPresent: refusal.doubt?.rawValue)
        }
        writer.endObject()
    }
}

extension SwipeEncryption {
    /// What may be seen without `--reveal`. What the reader calls a ciphertext is the card's text where the reader lies, or
    /// where a report was made up: its length is told. A hash is as good as the text: whoever knows what is shown of a track
    /// tries the digits that are hidden. A key's serial number and a counter are told unless the card's digits are in them.
    fileprivate func writeShown(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("scheme", scheme)
        writer.flag("scheme_assumed", isSchemeAssumed)
        writer.name("ksn")
        writer.write(hexadecimal: isOfCard ? [] : keySerialNumber)
        writer.field("key_variant", ifPresent: keyVariant?.rawValue)
        writer.flag("key_variant_assumed", isKeyVariantAssumed)
        writer.name("tracks")
        writer.beginArray()
        for track in tracks {
            writer.beginObject()
            writer.field("track", track.track)
            if !track.joinedTracks.isEmpty { writer.field("joined_tracks", track.joinedTracks) }
            writer.field("ciphertext_bytes", track.ciphertext.count)
            writer.field("clear_length", ifPresent: track.clearLength)
            writer.endObject()
        }
        writer.endArray()
        if let magnePrint {
            writer.name("magneprint")
            writer.beginObject()
            writer.field("ciphertext_bytes", magnePrint.ciphertext.count)
            writer.endObject()
        }
        writer.field("session_bytes", ifPresent: session?.count)
        writer.field("counter", ifPresent: isOfCard ? nil : counter)
        if !readerStatus.isEmpty { writer.field("reader_status", readerStatus) }
        writer.endObject()
    }
}

extension MaskedSwipe {
    /// The card in full, or as much of it as everybody may see.
    func info(reveals: Bool) -> CardInfo? {
        reveals ? card.map { CardInfo(full: $0, shown: number) } : CardInfo(masked: self)
    }
}
