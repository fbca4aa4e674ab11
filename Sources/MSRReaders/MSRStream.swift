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

    let reading: MSRReading
    private(set) var buffer: [UInt8] = []
    private var skipped = 0

    init(reading: MSRReading) { self.reading = reading }

    var isEmpty: Bool { buffer.isEmpty }

    mutating func add(_ bytes: some Sequence<UInt8>) { buffer += bytes }

    mutating func clear() {
        buffer = []
        skipped = 0
    }

    /// What stands there next; nil where more must come.
    ///
    /// - Parameter isOver: nothing came for a while: what is there is all of it.
    mutating func next(isOver: Bool = false) -> Event? {
        while let start = buffer.firstIndex(of: MSRCommand.escape) {
            skip(start)
            guard buffer.count >= 2 else { return isOver ? take(rest: Event.garbage) : nil }
            if buffer[1] == MSRBlock.start {
                if let event = block(isOver) { return event }
                return nil
            }
            if let event = Self.short(buffer[1]) {
                if let garbage = garbage() { return garbage }
                buffer.removeFirst(2)
                return event
            }
            skip(1)
        }
        skip(buffer.count)
        return garbage()
    }

    private mutating func block(_ isOver: Bool) -> Event? {
        if let garbage = garbage() { return garbage }
        let isFull = buffer.count > Self.maximumBytes
        let parser = MSRBlockParser(reading: reading, bytes: buffer[...], isOver: isOver || isFull)
        switch parser.parse() {
        case .block(let block, let length):
            buffer.removeFirst(length)
            return .block(block)
        case .incomplete: return nil
        case .impossible: return take(rest: Event.broken)
        }
    }

    /// All that is there: where in a broken block the next answer begins, nobody can tell from bits.
    private mutating func take(rest event: (Int) -> Event) -> Event {
        defer { clear() }
        return event(buffer.count + skipped)
    }

    private mutating func skip(_ count: Int) {
        buffer.removeFirst(count)
        skipped += count
    }

    private mutating func garbage() -> Event? {
        guard skipped > 0 else { return nil }
        defer { skipped = 0 }
        return .garbage(skipped)
    }

    private static func short(_ byte: UInt8) -> Event? {
        byte == present ? .present : MSRStatus(rawValue: byte).map { .status($0) }
    }
}
