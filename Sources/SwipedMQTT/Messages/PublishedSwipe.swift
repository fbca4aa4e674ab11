internal import CardData
internal import SwipeProtocol

/// A swipe as it leaves the machine: an event of the protocol with nothing in it but what the configuration names, and the event's
/// own id.
///
/// It is made anew, member by member. So what a later daemon adds, or a configuration of it gives away, does not pass.
enum PublishedSwipe {
    /// `INSTANCE:SEQ`: names an event for as long as anybody keeps it.
    static func identifier(_ instance: String, _ sequence: UInt64) -> String { "\(instance):\(sequence)" }

    /// Nil where the event is none, or has no number.
    static func line(_ event: Event, instance: String, _ fields: FieldSet) -> [UInt8]? {
        guard case .swipe(let swipe) = event.body, let sequence = event.sequence else { return nil }
        let shown = Event(
            sequence: sequence, time: event.time, monotonicNanoseconds: event.monotonicNanoseconds,
            reader: event.reader, attachment: event.attachment, isSimulated: event.isSimulated,
            body: .swipe(data(swipe, fields)))
        var bytes = shown.line().withBytes { Array($0) }
        // The line's end, and that of its object: one member more comes before it.
        bytes.removeLast(2)
        bytes += #","event_id":"\#(identifier(instance, sequence))"}"#.utf8
        return bytes
    }

    static func data(_ swipe: SwipeData, _ fields: FieldSet) -> SwipeData {
        SwipeData(
            card: swipe.card.flatMap { card($0, fields) },
            tracks: fields.contains(.tracks) ? swipe.tracks.map(track) : [],
            encryption: fields.contains(.encryption) ? swipe.encryption.map(encryption) : nil,
            quality: fields.contains(.quality) ? swipe.quality : SwipeQuality(),
            hasChip: fields.contains(.chip) && swipe.hasChip)
    }

    /// A card of which anything is shown has a kind, as the protocol wants it.
    private static func card(_ card: CardInfo, _ fields: FieldSet) -> CardInfo? {
        let ofCards: [FieldSet.Field] = [.kind, .brand, .pan, .hash, .expiry, .serviceCode]
        guard ofCards.contains(where: fields.contains) else { return nil }
        var shown = CardInfo(kind: card.kind, format: card.format)
        shown.pan = card.pan.flatMap { number($0, fields) }
        if fields.contains(.hash) { shown.hash = card.hash }
        if fields.contains(.expiry) { shown.expiry = card.expiry }
        if fields.contains(.serviceCode) { shown.serviceCode = card.serviceCode }
        return shown
    }

    private static func number(_ pan: PANInfo, _ fields: FieldSet) -> PANInfo? {
        guard fields.contains(.pan) || fields.contains(.brand) else { return nil }
        let covered = String(repeating: "*", count: max(0, min(pan.length, longestNumber)))
        var shown = PANInfo(masked: fields.contains(.pan) ? pan.masked : covered, length: pan.length)
        if fields.contains(.pan) { shown.luhn = pan.luhn }
        if fields.contains(.brand) { shown.brand = pan.brand }
        return shown
    }

    /// ISO/IEC 7812-1: 19 digits.
    private static let longestNumber = 19

    private static func track(_ track: TrackInfo) -> TrackInfo {
        TrackInfo(
            track: track.track, status: track.status, format: track.format, atBit: track.atBit,
            repairedBits: track.repairedBits)
    }

    private static func encryption(_ encryption: SwipeEncryption) -> SwipeEncryption {
        SwipeEncryption(
            scheme: encryption.scheme, keySerialNumber: encryption.keySerialNumber,
            counter: encryption.counter, keyVariant: encryption.keyVariant,
            isKeyVariantAssumed: encryption.isKeyVariantAssumed,
            isSchemeAssumed: encryption.isSchemeAssumed, readerStatus: encryption.readerStatus)
    }
}
