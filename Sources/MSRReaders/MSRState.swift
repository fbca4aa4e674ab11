/// Where the dialogue with an encoder is.
enum MSRState: Sendable {
    /// Nothing was said yet.
    case idle
    /// It was asked whether it is there, so many times in a row.
    case waking(Waking)
    /// It is there, and was asked this; the others wait.
    case asking(MSRQuestion, since: [UInt8])
    /// It waits for a card.
    case reading
    /// Commands reach nobody: what comes is taken for answers to a read.
    case overhearing
    /// It does not answer, and is asked again after a while. Bytes that come meanwhile are no answer: something else may be on the
    /// line.
    case mute(hasGarbage: Bool)

    struct Waking: Sendable {
        var attempts: Int
        /// Bytes came that are no answer: something else may be on the line.
        var hasGarbage = false
    }
}
