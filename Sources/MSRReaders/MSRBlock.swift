import ReaderKit

/// What an encoder answers to a read, once a card has passed.
///
///     1B 73 · 1B 01 TRACK · 1B 02 TRACK · 1B 03 TRACK · 3F 1C · 1B STATUS
///
///     TRACK of a text block   the text with its sentinels; or nothing; or 1B 2B, nothing is recorded; or 1B 2A, not readable
///     TRACK of a raw block    L, one byte, and L bytes of bits; or the same three
///
/// What sources disagree on is taken in every form that one of them names (``MSRVariant``).
struct MSRBlock: Sendable, Hashable {
    enum Track: Sendable, Hashable {
        case text([UInt8])
        /// Eight bits a byte, in the order in which they passed the head.
        case bits([UInt8])
        case empty
        /// Nothing stands in its place: by the manual it is blank, or failed where the status says that something did.
        case nothing
        /// Something is there that the encoder could not read.
        case failed
    }

    /// The longest block: three raw tracks of 255 bytes and what stands round them.
    static let maximumBytes = 2 + 3 * (3 + 255) + 4
    static let trackCount = 3
    static let start: UInt8 = 0x73
    static let separator: UInt8 = 0x1C
    static let question: UInt8 = 0x3F

    /// In the order of their numbers.
    var tracks: [Track]
    /// The status byte; nil in ``MSRStatus`` for one that no source names.
    var statusByte: UInt8
    var variants: Set<MSRVariant> = []

    var status: MSRStatus? { MSRStatus(rawValue: statusByte) }

    /// No track has anything that a card could have given.
    var holdsNothing: Bool {
        tracks.allSatisfy { track in
            switch track {
            case .text, .bits: false
            case .empty, .nothing, .failed: true
            }
        }
    }
}

/// Ways in which encoders and their documents differ; each is accepted.
enum MSRVariant: String, Sendable, Hashable, CaseIterable {
    /// Commands are feature reports: its descriptor has no others.
    case featureReports
    /// Coercivity is told in small letters (an open client's device).
    case smallLetters
    /// A track without data is `1B n` and nothing (the MSR606's manual).
    case nothing
    /// It is `1B n 1B 2B` (an open client's MSR605X).
    case emptyMark
    /// It is a raw track whose length is zero.
    case zeroLength
    /// A track that failed is `1B n 1B 2A` (the same).
    case failedMark
    /// The length of a raw track counts itself (another client's MSR605X).
    case countsItself
    /// A byte of a raw track has the bit that passed first at its low end. No source says so of what is read; of what is written
    /// one does.
    case lowBitFirst
}

/// Finds a block in bytes that begin with `1B 73`. Where a length may be read in two ways, what stands behind it decides: the
/// marks of all three tracks, the end and the status must be where they are due.
///
/// Of several ways the shortest is right, and at once where it ends in a status that sources name. `1B 03 3F 1C 1B 30` is a third
/// track without data, and would be the beginning of one with 63 bytes only if its bits began with those of `1C 1B 30`; whoever
/// waited for these 63 bytes would take them from the next card, where a recording has no pauses.
struct MSRBlockParser: Sendable {
    enum Outcome: Sendable, Hashable {
        case block(MSRBlock, length: Int)
        /// So far it is one.
        case incomplete
        case impossible
    }

    let reading: MSRReading
    let bytes: ArraySlice<UInt8>
    /// Nothing more comes: what is whole in any way is taken.
    let isOver: Bool

    func parse() -> Outcome {
        guard bytes.count >= 2 else { return isOver ? .impossible : .incomplete }
        return track(1, at: bytes.startIndex + 2, MSRBlock(tracks: [], statusByte: 0))
    }

    /// A track as one of the variants has it, and where it ends; an end beyond the bytes says that more must come.
    private struct Candidate {
        var track: MSRBlock.Track
        var end: Int
        var variants: Set<MSRVariant> = []
        /// Whether its length counts itself; nil where that does not matter.
        var countsItself: Bool?
    }

    /// - Parameter countsItself: what the lengths of the tracks before count. One device has one way: a byte that was lost on the line
    ///   would pass for the other.
    private func track(_ number: Int, at place: Int, _ block: MSRBlock, countsItself: Bool? = nil) -> Outcome
    {
        guard number <= MSRBlock.trackCount else { return end(at: place, block) }
        switch match([MSRCommand.escape, UInt8(truncatingIfNeeded: number)], at: place) {
        case .no: return .impossible
        case .beginning: return isOver ? .impossible : .incomplete
        case .yes: break
        }
        var mayGoOn = false
        var shortest: (block: MSRBlock, length: Int)?
        for candidate in candidates(number, at: place + 2) {
            guard (candidate.countsItself ?? countsItself) == (countsItself ?? candidate.countsItself) else {
                continue
            }
            guard candidate.end <= bytes.endIndex else {
                mayGoOn = true
                continue
            }
            var longer = block
            longer.tracks.append(candidate.track)
            longer.variants.formUnion(candidate.variants)
            let way = countsItself ?? candidate.countsItself
            switch track(number + 1, at: candidate.end, longer, countsItself: way) {
            case .block(let block, let length):
                if length < shortest?.length ?? .max { shortest = (block, length) }
            case .incomplete: mayGoOn = true
            case .impossible: continue
            }
        }
        if let shortest, !mayGoOn || isOver || shortest.block.status != nil {
            return .block(shortest.block, length: shortest.length)
        }
        return mayGoOn && !isOver ? .incomplete : .impossible
    }

    private func candidates(_ number: Int, at place: Int) -> [Candidate] {
        let own: [Candidate] =
            switch reading {
            case .raw: raw(at: place)
            case .iso: text(number, at: place)
            }
        return own + mark(0x2B, .empty, .emptyMark, at: place) + mark(0x2A, .failed, .failedMark, at: place)
            + [Candidate(track: .nothing, end: place, variants: [.nothing])]
    }

    /// A mark in place of a track. One that has only begun may become one.
    private func mark(
        _ mark: UInt8, _ track: MSRBlock.Track, _ variant: MSRVariant, at place: Int
    ) -> [Candidate] {
        switch match([MSRCommand.escape, mark], at: place) {
        case .no: []
        case .beginning, .yes: [Candidate(track: track, end: place + 2, variants: [variant])]
        }
    }

    private func raw(at place: Int) -> [Candidate] {
        guard place < bytes.endIndex else {
            return [Candidate(track: .empty, end: place + 1)]
        }
        let length = Int(bytes[place])
        guard length > 0 else { return [Candidate(track: .empty, end: place + 1, variants: [.zeroLength])] }
        let own = length - 1
        return [
            Candidate(track: bits(at: place + 1, length), end: place + 1 + length, countsItself: false),
            Candidate(
                track: bits(at: place + 1, own), end: place + 1 + own,
                variants: own == 0 ? [.countsItself, .zeroLength] : [.countsItself], countsItself: true),
        ]
    }

    private func bits(at first: Int, _ count: Int) -> MSRBlock.Track {
        count == 0 ? .empty : .bits(Array(bytes[first...].prefix(count)))
    }

    /// Text up to what no text holds: the next ESC, or the separator, whose question mark is not the text's.
    private func text(_ number: Int, at place: Int) -> [Candidate] {
        guard place < bytes.endIndex,
            let stop = bytes[place...].firstIndex(where: {
                $0 == MSRCommand.escape || $0 == MSRBlock.separator
            })
        else { return [Candidate(track: .empty, end: bytes.endIndex + 1)] }
        let isLast = bytes[stop] == MSRBlock.separator
        let end = isLast ? stop - 1 : stop
        guard isLast == (number == MSRBlock.trackCount), end > place else { return [] }
        return [Candidate(track: .text(Array(bytes[place..<end])), end: end)]
    }

    private func end(at place: Int, _ block: MSRBlock) -> Outcome {
        switch match([MSRBlock.question, MSRBlock.separator, MSRCommand.escape], at: place) {
        case .no: return .impossible
        case .beginning: return isOver ? .impossible : .incomplete
        case .yes: break
        }
        guard place + 3 < bytes.endIndex else { return isOver ? .impossible : .incomplete }
        var whole = block
        whole.statusByte = bytes[place + 3]
        return .block(whole, length: place + 4 - bytes.startIndex)
    }

    private enum Match { case yes, beginning, no }

    private func match(_ mark: [UInt8], at place: Int) -> Match {
        guard place <= bytes.endIndex else { return .no }
        let there = bytes[place...].prefix(mark.count)
        guard there.elementsEqual(mark.prefix(there.count)) else { return .no }
        return there.count == mark.count ? .yes : .beginning
    }
}
