internal import SwipeProtocol

/// Cuts a stream of bytes into lines. It holds what it is given until that is handed out: its owner watches
/// ``waiting``.
struct LineFramer {
    enum Frame: Equatable {
        case line([UInt8])
        /// The line, finished or not, is longer than the limit. Nothing after it is looked at.
        case tooLong
    }

    private let limit: Int
    private var bytes: [UInt8] = []
    /// Everything before it was handed out.
    private var start = 0
    /// Everything from `start` to here was searched and has no newline.
    private var searched = 0
    private var isOver = false

    /// Whether nothing that arrived is still to be handed out.
    var isEmpty: Bool { start == bytes.count }
    /// Bytes that arrived and were not handed out.
    var waiting: Int { bytes.count - start }

    init(limit: Int = ProtocolLimits.lineIn) { self.limit = limit }

    mutating func append(_ chunk: some Collection<UInt8>) {
        guard !isOver else { return }
        bytes.append(contentsOf: chunk)
    }

    /// The next whole line, newline left out; nil when more bytes are needed.
    mutating func next() -> Frame? {
        guard !isOver else { return nil }
        while searched < bytes.count {
            if searched - start > limit { return overflow() }
            if bytes[searched] == UInt8(ascii: "\n") {
                let line = Array(bytes[start..<searched])
                searched += 1
                start = searched
                return .line(line)
            }
            searched += 1
        }
        if searched - start > limit { return overflow() }
        compact()
        return nil
    }

    /// What is left when the client has sent its last byte: a line without its newline.
    mutating func rest() -> [UInt8]? {
        guard !isOver, start < bytes.count else { return nil }
        defer { empty() }
        return Array(bytes[start...])
    }

    /// Nothing more is handed out or accepted.
    mutating func giveUp() {
        isOver = true
        empty()
    }

    private mutating func overflow() -> Frame {
        giveUp()
        return .tooLong
    }

    private mutating func empty() {
        bytes = []
        start = 0
        searched = 0
    }

    /// An idle connection keeps no buffer.
    private mutating func compact() {
        if start == bytes.count { bytes = [] } else if start > 0 { bytes.removeFirst(start) }
        searched -= start
        start = 0
    }
}
