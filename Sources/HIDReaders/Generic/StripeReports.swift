/// The reports of one swipe, of a reader that sends tracks in reports of their own.
///
/// ASSUMPTION: a reader sends all of these reports for each card, also those of blank tracks, in the order of the tracks,
/// one at once behind the other. No such reader was seen, and the tables do not say. So a swipe is whole when each report
/// came once, in order and without a pause; anything else is none, rather than a half or parts of two cards. The first
/// report in the order always begins a new swipe.
struct StripeReports: Sendable {
    /// The next report of a swipe comes in this time. 108 characters in packets of eight bytes, of which one goes every
    /// 10 ms, take 140 ms; nobody swipes two cards so fast.
    static let patience = Duration.milliseconds(500)

    /// What a report came to.
    struct Verdict: Sendable, Hashable {
        /// The report that was due in its place.
        var due: UInt8?
        /// The reports of a whole swipe, by their ids.
        var swipe: [UInt8: [UInt8]]?
        /// Whether more is to come.
        var isOpen = true
    }

    private let order: [UInt8]
    /// Those that came, in order; nil for one of which nothing can be believed.
    private var came: [[UInt8]?] = []
    /// A report came out of place, or was lost: what follows is of no known swipe until one begins, or a pause ends it.
    private var isLost = false

    init(order: [UInt8]) { self.order = order }

    /// - Parameter bytes: nil for a report of another length than its own.
    mutating func take(_ id: UInt8, _ bytes: [UInt8]?) -> Verdict {
        var verdict = Verdict()
        if id != due {
            verdict.due = isLost ? nil : due
            came = []
            isLost = id != due
        } else {
            isLost = false
        }
        guard !isLost else { return verdict }
        came.append(bytes)
        guard came.count == order.count else { return verdict }
        let sound = zip(order, came).compactMap { id, bytes in bytes.map { (id, $0) } }
        if sound.count == order.count { verdict.swipe = Dictionary(sound) { first, _ in first } }
        verdict.isOpen = false
        came = []
        return verdict
    }

    /// Reports were lost: those on either side of the gap need not be of one card.
    mutating func lose() { (came, isLost) = ([], true) }

    /// Nothing came for so long.
    ///
    /// - Returns: the report that was due; nil where nothing was, or its swipe had a broken one anyway.
    mutating func giveUp() -> UInt8? {
        defer { (came, isLost) = ([], false) }
        return came.isEmpty || came.contains(nil) ? nil : due
    }

    private var due: UInt8? { order.dropFirst(came.count).first }
}
