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
}

/// Ways in which encoders and their documents differ; each is accepted.
enum MSRVariant: String, Sendable, Hashable, CaseIterable {
    /// A track without data is `1B n` and nothing (the MSR606's manual).
    case nothing
    /// It is `1B n 1B 2B` (an open client's MSR605X).
    case emptyMark
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
        var variant: MSRVariant?
    }

    private func track(_ number: Int, at place: Int, _ block: MSRBlock) -> Outcome {
        guard number <= MSRBlock.trackCount else { return end(at: place, block) }
        switch match([MSRCommand.escape, UInt8(truncatingIfNeeded: number)], at: place) {
        case .no: return .impossible
        case .beginning: return isOver ? .impossible : .incomplete
        case .yes: break
        }
        var mayGoOn = false
        for candidate in candidates(number, at: place + 2) {
            guard candidate.end <= bytes.endIndex else {
                mayGoOn = true
                continue
            }
            var longer = block
            longer.tracks.append(candidate.track)
            if let variant = candidate.variant { longer.variants.insert(variant) }
            switch track(number + 1, at: candidate.end, longer) {
            case .block(let block, let length):
                // A way that comes before this one may still turn out to be right.
                return mayGoOn && !isOver ? .incomplete : .block(block, length: length)
            case .incomplete: mayGoOn = true
            case .impossible: continue
            }
        }
        return mayGoOn && !isOver ? .incomplete : .impossible
    }

    private func candidates(_ number: Int, at place: Int) -> [Candidate] {
        let own: [Candidate] =
            switch reading {
            case .raw: raw(at: place)
            case .iso: text(number, at: place)
            }
        let marks: [Candidate] = [
            Candidate(track: .empty, end: place + 2, variant: .emptyMark),
            Candidate(track: .failed, end: place + 2, variant: .failedMark),
        ].filter { candidate in
            let mark: UInt8 = candidate.variant == .emptyMark ? 0x2B : 0x2A
            return match([MSRCommand.escape, mark], at: place) == .yes
        }
        return own + marks + [Candidate(track: .empty, end: place, variant: .nothing)]
    }

    private func raw(at place: Int) -> [Candidate] {
        guard place < bytes.endIndex else {
            return [Candidate(track: .empty, end: place + 1, variant: nil)]
        }
        let length = Int(bytes[place])
        let usual = Candidate(track: bits(at: place + 1, length), end: place + 1 + length, variant: nil)
        guard length > 0 else { return [usual] }
        return [
            usual,
            Candidate(track: bits(at: place + 1, length - 1), end: place + length, variant: .countsItself),
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
        else { return [Candidate(track: .empty, end: bytes.endIndex + 1, variant: nil)] }
        let isLast = bytes[stop] == MSRBlock.separator
        let end = isLast ? stop - 1 : stop
        guard isLast == (number == MSRBlock.trackCount), end > place else { return [] }
        return [Candidate(track: .text(Array(bytes[place..<end])), end: end, variant: nil)]
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
