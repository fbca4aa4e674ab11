package import CardData

extension SwipeDirection: LaterWord {}
extension SwipeHint: LaterWord {}

extension SwipeQuality: WireObject {
    package static var blank: SwipeQuality { SwipeQuality() }
    package static var definition: String? { "quality" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.optional("direction", &direction)
        try fields.optional("speed_cm_s", &speed, as: Tenths.self)
        try fields.optional("snr_db", &signalToNoiseDecibels, as: Tenths.self)
        try fields.optional("jitter_percent", &jitterPercent, as: Tenths.self)
        try fields.optional("clipped_percent", &clippedPercent, as: Tenths.self)
        try fields.usual("repaired_bits", &repairedBits)
        try fields.flag("joined", &isJoined)
        try fields.orNull("hint", &hint)
    }
}
