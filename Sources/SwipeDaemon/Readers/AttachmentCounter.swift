/// Counts the attachments of each reader, so that two attachments of one device have different numbers.
struct AttachmentCounter: Sendable {
    /// A reader that was not seen for this many others starts again at 1.
    static let maximumRemembered = 1024

    private var counts: [String: UInt64] = [:]
    /// Least recently attached first.
    private var order: [String] = []

    /// The number of a reader's next attachment.
    mutating func next(_ readerID: String) -> UInt64 {
        order.removeAll { $0 == readerID }
        order.append(readerID)
        if order.count > Self.maximumRemembered { counts[order.removeFirst()] = nil }
        let count = (counts[readerID] ?? 0) + 1
        counts[readerID] = count
        return count
    }
}
