import SwipeProtocol

/// A level as a line of JSON, with what follows from it.
struct MeteredLevel: JSONEncodable {
    var level: SoundLevel
    var hold: Int?
    var gain: MeterModel.Gain

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("level", level)
        writer.field("hold_db", orNull: hold)
        writer.name("gain")
        writer.beginObject()
        writer.field("advice", gain.advice)
        writer.field("db", orNull: gain.decibels)
        writer.endObject()
        writer.endObject()
    }
}

/// A gain that was set, as a line of JSON.
struct GainThatWasSet: JSONEncodable {
    var percent: Int

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("gain_set_percent", percent)
        writer.endObject()
    }
}

/// A swipe as a line of JSON: how it went, without the card.
struct MeteredSwipe: JSONEncodable {
    var swipe: MeterModel.Swipe

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("swipe")
        writer.beginObject()
        writer.field("time", swipe.time)
        writer.name("tracks")
        writer.beginArray()
        for track in swipe.tracks {
            writer.beginObject()
            writer.field("track", track.track)
            writer.field("status", track.status.rawValue)
            writer.endObject()
        }
        writer.endArray()
        writer.field("quality", swipe.quality)
        writer.endObject()
        writer.endObject()
    }
}
