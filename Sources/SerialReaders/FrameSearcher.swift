/// Finds frames in the bytes of a line, and counts what stands between them.
struct FrameSearcher: Sendable {
    /// What the bytes begin with.
    enum Length: Sendable { case none, unknown, bytes(Int) }

    enum Found: Sendable, Hashable {
        case frame([UInt8])
        case garbage(Int)
    }

    /// Several of the longest frames.
    static let maximumBytes = 4096

    private var buffer: [UInt8] = []
    /// Bytes between frames that were not told yet: a burst of them is told once.
    private var skipped = 0

    var isPending: Bool { !buffer.isEmpty || skipped > 0 }

    mutating func add(_ bytes: [UInt8]) { buffer += bytes }

    mutating func clear() { (buffer, skipped) = ([], 0) }

    /// Everything that stands there.
    ///
    /// - Parameters:
    ///   - isOver: nothing came for a while: what has not ended by now is none.
    ///   - length: how long the frame is that bytes begin with, of which there is at least one.
    mutating func take(isOver: Bool, _ length: (ArraySlice<UInt8>) -> Length) -> [Found] {
        var found: [Found] = []
        var place = 0
        search: while place < buffer.count {
            switch length(buffer[place...]) {
            case .bytes(let count):
                if skipped > 0 { found.append(.garbage(skipped)) }
                skipped = 0
                found.append(.frame(Array(buffer[place..<(place + count)])))
                place += count
            case .unknown:
                guard isOver || buffer.count - place > Self.maximumBytes else { break search }
                (place, skipped) = (place + 1, skipped + 1)
            case .none: (place, skipped) = (place + 1, skipped + 1)
            }
        }
        // In storage of its own: the old one holds a card, and the next one may not come before the evening.
        if place > 0 { buffer = Array(buffer[place...]) }
        if skipped > Self.maximumBytes || isOver && skipped > 0 {
            found.append(.garbage(skipped))
            skipped = 0
        }
        return found
    }
}
