import CardData
import StripeSignal

/// The characters of a swipe and where they lie: of a text that was read, or of the attempt that got furthest.
struct DrawnCharacters {
    struct Character {
        /// Nil in a place where none came out.
        var code: UInt8?
        /// Positions in the stream.
        var range: ClosedRange<Double>
        /// The LRC, which is no part of the text.
        var isCheck = false
    }

    private(set) var characters: [Character] = []
    /// The character at which a refused reading broke off.
    private(set) var failed: ClosedRange<Double>?
    /// Whether they are those of an attempt that was refused.
    private var isAttempt = false

    /// Shorter attempts say nothing: any noise begins with a start sentinel somewhere.
    private static let fewestCharacters = 3
    private static let leastLeadingZeros = 3

    /// - Parameter shown: the text as it may be shown; nil for a refused swipe.
    init(_ part: StripeSwipe, _ trace: StripeTrace, formats: [StripeFormat], shown: String?) {
        if !trace.characters.isEmpty {
            let codes = Array((shown ?? "").utf8)
            characters = trace.characters.enumerated().map { index, range in
                Character(code: index < codes.count ? codes[index] : nil, range: range)
            }
            placeCheck(part, formats)
            return
        }
        isAttempt = true
        var furthest = 0
        for run in part.bitRuns {
            for format in formats {
                for turned in run.direction == nil ? [false, true] : [false] {
                    let attempt = Self.furthest(turned ? run.bits.reversed() : run.bits, format.coding)
                    guard let attempt, attempt.end - attempt.start > furthest else { continue }
                    furthest = attempt.end - attempt.start
                    place(attempt, format.coding, run, isTurned: (run.direction == .backward) != turned)
                }
            }
        }
    }

    /// The LRC lies behind the text, in the direction of reading.
    private mutating func placeCheck(_ part: StripeSwipe, _ formats: [StripeFormat]) {
        let name = part.tracks.first { $0.text != nil }?.format
        guard let coding = formats.first(where: { $0.coding.name == name })?.coding, coding.hasLRC,
            let last = characters.last?.range
        else { return }
        for run in part.bitRuns {
            let isBackward = run.direction == .backward
            guard let edge = run.cellEdges.firstIndex(of: isBackward ? last.lowerBound : last.upperBound)
            else {
                continue
            }
            let end = edge + (isBackward ? -coding.bitsPerCharacter : coding.bitsPerCharacter)
            guard run.cellEdges.indices.contains(end) else { return }
            let (from, to) = (run.cellEdges[min(edge, end)], run.cellEdges[max(edge, end)])
            if from < to { characters.append(Character(code: nil, range: from...to, isCheck: true)) }
        }
    }

    /// Lays the characters that may not be measured evenly over the place that they take together. Of a text that was refused
    /// none is shown: nobody masked it.
    mutating func hide(within stretches: DrawnStretches) {
        if isAttempt {
            for index in characters.indices { characters[index].code = nil }
        }
        var next = 0
        while next < characters.count {
            let first = next
            while next < characters.count, !stretches.contains(characters[next].range) { next += 1 }
            if first < next { spread(first..<next, stretches) } else { next += 1 }
        }
    }

    private mutating func spread(_ hidden: Range<Int>, _ stretches: DrawnStretches) {
        let ranges = characters[hidden].map(\.range)
        guard let first = ranges.first, let last = ranges.last else { return }
        let isBackward = last.lowerBound < first.lowerBound
        let whole = stretches.place(
            min(first.lowerBound, last.lowerBound)...max(first.upperBound, last.upperBound))
        let (start, width) = (
            whole.lowerBound, (whole.upperBound - whole.lowerBound) / Double(hidden.count)
        )
        for (place, index) in (isBackward ? hidden.reversed() : Array(hidden)).enumerated() {
            characters[index].range = start + Double(place) * width...start + Double(place + 1) * width
        }
    }

    private mutating func place(
        _ attempt: Attempt, _ coding: TrackFormat, _ run: BitRun, isTurned: Bool
    ) {
        let width = coding.bitsPerCharacter
        func range(_ first: Int) -> ClosedRange<Double>? {
            let last = run.cellEdges.count - 1
            let end = min(first + width, last)
            guard first >= 0, first < end else { return nil }
            let (from, to) = isTurned ? (last - end, last - first) : (first, end)
            return run.cellEdges[from] <= run.cellEdges[to] ? run.cellEdges[from]...run.cellEdges[to] : nil
        }
        characters = attempt.codes.enumerated().compactMap { index, code in
            range(attempt.start + index * width).map { Character(code: code, range: $0) }
        }
        failed = range(attempt.end)
    }

    private struct Attempt {
        var start: Int
        /// Where the reading broke off.
        var end: Int
        var codes: [UInt8]
    }

    private static func furthest(_ bits: [UInt8], _ coding: TrackFormat) -> Attempt? {
        var best: Attempt?
        var zeros = 0
        for start in bits.indices {
            if bits[start] == 1, zeros >= leastLeadingZeros,
                let attempt = attempt(bits, coding, at: start),
                attempt.codes.count >= fewestCharacters,
                attempt.end - start > (best.map { $0.end - $0.start } ?? 0)
            {
                best = attempt
            }
            zeros = bits[start] == 0 ? zeros + 1 : 0
        }
        return best
    }

    private static func attempt(_ bits: [UInt8], _ coding: TrackFormat, at start: Int) -> Attempt? {
        var attempt = Attempt(start: start, end: start, codes: [])
        while let code = code(bits, coding, at: attempt.end), attempt.codes.count < coding.maximumCharacters {
            if attempt.codes.isEmpty, code != coding.startSentinel { return nil }
            // One more is the LRC.
            let isLast = attempt.codes.last == coding.endSentinel && attempt.codes.count > 1
            attempt.codes.append(code)
            if isLast { break }
            attempt.end += coding.bitsPerCharacter
        }
        return attempt.codes.isEmpty ? nil : attempt
    }

    /// The character at a place; nil where the parity is wrong or the bits end.
    private static func code(_ bits: [UInt8], _ coding: TrackFormat, at start: Int) -> UInt8? {
        guard start + coding.bitsPerCharacter <= bits.count else { return nil }
        var value: UInt8 = 0
        var ones = 0
        for bit in 0..<coding.bitsPerCharacter where bits[start + bit] != 0 {
            ones += 1
            if bit < coding.dataBits { value |= 1 << UInt8(truncatingIfNeeded: bit) }
        }
        switch coding.parity {
        case .odd where ones & 1 == 0, .even where ones & 1 == 1: return nil
        case .odd, .even, .none: return coding.firstCharacter &+ value
        }
    }
}
