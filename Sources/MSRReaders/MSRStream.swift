/// The bytes of an encoder while it is asked for cards: blocks, statuses by themselves, and whatever else comes between.
struct MSRStream: Sendable {
    /// More than the longest block is none.
    static let maximumBytes = MSRBlock.maximumBytes

    enum Event: Sendable, Hashable {
        case block(MSRBlock)
        /// `1B STATUS` without a block.
        case status(MSRStatus)
        /// `1B 79`: it is there.
        case present
        /// So many bytes that are no answer.
        case garbage(Int)
        /// A block that began and is none, so many bytes of it.
        case broken(Int)
    }

    private static let present: UInt8 = 0x79
    /// What a block begins with, and little else.
    private static let blockStart: [UInt8] = [MSRCommand.escape, MSRBlock.start, MSRCommand.escape, 0x01]

    let reading: MSRReading
    private(set) var buffer: [UInt8] = []
    private var skipped = 0

    init(reading: MSRReading) { self.reading = reading }

    var isEmpty: Bool { buffer.isEmpty }

    /// A block has begun, and the rest of it must come.
    var hasBegunBlock: Bool { buffer.starts(with: Self.blockStart.prefix(2)) }

    mutating func add(_ bytes: some Sequence<UInt8>) { buffer += bytes }

    /// Whether a message that begins with these bytes begins a block: what stands before it goes on no more.
    static func beginsBlock(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: blockStart) }

    mutating func clear() {
        buffer = []
        skipped = 0
    }

    /// What stands there next; nil where more must come.
    ///
    /// - Parameter isOver: nothing came for a while: what is there is all of it.
    mutating func next(isOver: Bool = false) -> Event? {
        // All that begins no answer is passed by at once: each step is a new storage.
        skip(buffer.indices.first { mayBegin(at: $0) } ?? buffer.count)
        guard !buffer.isEmpty else { return garbage() }
        guard buffer.count >= 2 else { return isOver ? rest() : nil }
        guard let event = Self.short(buffer[1]) else { return block(isOver) }
        if let garbage = garbage() { return garbage }
        take(2)
        return event
    }

    private func mayBegin(at place: Int) -> Bool {
        guard buffer[place] == MSRCommand.escape else { return false }
        guard place + 1 < buffer.count else { return true }
        return buffer[place + 1] == MSRBlock.start || Self.short(buffer[place + 1]) != nil
    }

    private mutating func block(_ isOver: Bool) -> Event? {
        if let garbage = garbage() { return garbage }
        let isFull = buffer.count > Self.maximumBytes
        let parser = MSRBlockParser(reading: reading, bytes: buffer[...], isOver: isOver || isFull)
        switch parser.parse() {
        case .block(let block, let length):
            take(length)
            return .block(block)
        case .incomplete: return nil
        case .impossible: return broken(isOver)
        }
    }

    /// A block that is none goes on to where the next one begins, as far as that can be told: bits may hold anything, and what
    /// begins a block stands in them by chance once in four thousand million places.
    private mutating func broken(_ isOver: Bool) -> Event {
        let next = buffer.indices.dropFirst().first { place in
            let rest = buffer[place...].prefix(Self.blockStart.count)
            return (rest.count == Self.blockStart.count || !isOver) && Self.blockStart.starts(with: rest)
        }
        let count = next ?? buffer.count
        take(count)
        return .broken(count)
    }

    private mutating func rest() -> Event {
        skip(buffer.count)
        defer { skipped = 0 }
        return .garbage(skipped)
    }

    private mutating func skip(_ count: Int) {
        guard count > 0 else { return }
        take(count)
        skipped += count
    }

    /// In storage of its own, what is left: the old one holds a card, and the next card may not come before the evening.
    private mutating func take(_ count: Int) { buffer = Array(buffer[count...]) }

    private mutating func garbage() -> Event? {
        guard skipped > 0 else { return nil }
        defer { skipped = 0 }
        return .garbage(skipped)
    }

    private static func short(_ byte: UInt8) -> Event? {
        byte == present ? .present : MSRStatus(rawValue: byte).map { .status($0) }
    }
}
