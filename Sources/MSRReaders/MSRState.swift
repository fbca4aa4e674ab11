/// Where the dialogue with an encoder is.
enum MSRState: Sendable {
    /// Nothing was said yet.
    case idle
    /// It was asked whether it is there, so many times in a row.
    case waking(Waking)
    /// It is there, and was asked this; the others wait.
    case asking(Asking)
    /// A read was asked for just now, or may have ended without a card: what ends one by itself here answers no card.
    case settling(Settling)
    /// The read stands: it waits for a card.
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
        /// How often the rest of a block was waited for, and how much of it was there the last time.
        var waits = 0
        var seen = 0
    }

    struct Asking: Sendable {
        var question: MSRQuestion
        /// What came since.
        var heard: [UInt8] = []
        /// The time in which one answers is up, and the answer may still come.
        var isLate = false
    }

    struct Settling: Sendable {
        /// A light was sent with the read: what is refused may be that.
        var hasLight = false
        /// Why the read is taken for ended.
        var end: End?
        /// Its time runs: what comes does not begin it anew.
        var isTimed = false
        /// The answer to the read before, if that gave a card: the same again, so soon, is that one a second time.
        var before: MSRBlock?
    }

    enum End: Sendable, Hashable {
        /// It said so.
        case status(MSRStatus)
        /// What it said was lost, all or in part.
        case lost
    }
}
