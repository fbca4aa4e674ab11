import CardData

/// A text found in a run of bits, and the evidence for it.
struct FoundTrack: Sendable {
    var format: StripeFormat
    var text: [UInt8]
    var isReversed: Bool
    /// How many bits parity and LRC changed.
    var repairedBits: Int
    /// Where the track lies in the run, start sentinel to LRC, counted in the direction of reading.
    var place: Range<Int>
    /// log2 of how unlikely it is that chance made this: parity, LRC and clocking zeros, less what repair used up.
    var evidence: Double

    /// The place in the order of the bits as they were handed in, not of reading.
    func place(among count: Int) -> Range<Int> {
        isReversed ? count - place.upperBound..<count - place.lowerBound : place
    }
}

/// Bits with how sure the detector is of each: the difference in log-likelihood to the best reading with the
/// other value.
struct SoftBits: Sendable {
    var bits: [UInt8]
    var reliability: [Float]
    /// Whether one error event flips neighbours together, as it does in a sequence detector. Their reliabilities are
    /// then those of one event, and do not add.
    var isShared = false

    /// Log-likelihood by which a text must lead every other one that its parity and LRC allow.
    var leastMargin: Float { isShared ? 10 : 16 }

    func reversed() -> SoftBits {
        SoftBits(bits: bits.reversed(), reliability: reliability.reversed(), isShared: isShared)
    }
}

/// Finds tracks in bits: every format, both directions, every place.
///
/// What is accepted must carry more evidence than the search has used up. A character's parity bit is worth one
/// bit, the LRC as many as it has columns, clocking zeros a half each; a repaired bit costs what choosing it among
/// all others costs.
struct FrameSearch: Sendable {
    var formats: [StripeFormat]
    /// log2 of how many readings of the same swipe have been looked at before.
    var searchedBits = 0.0

    /// Evidence below which nothing is accepted: one chance in 2^18 for each swipe.
    static let leastEvidence = 18.0
    /// Two different texts closer than this are both refused.
    static let leastLead = 8.0
    /// A repaired bit is one of several hundred that it might have been.
    static let repairCost = 8.0
    /// Clocking zeros count for this much each, and no further than `countedZeros`: a tone is all zeros too.
    private static let zeroWorth = 0.5
    private static let countedZeros = 10
    /// Fewer zeros than this may stand within data.
    private static let clearLeadIn = 8
    private static let dataBeforeCost = 10.0
    /// Places in a run at which repairs are tried: noise offers as many, a record one.
    private static let mostRepairs = 64
    /// One character with two different pairs may be an error; a text that is one has several.
    private static let mostUnequalPairs = 2
    /// The places and directions that were tried.
    private static let placesCost = 8.0

    enum Verdict: Sendable {
        case found(FoundTrack)
        /// Why, and whether the attempt that got furthest read the run backward.
        case refused(TrackRefusal, isReversed: Bool)
        /// A text whose parity and LRC allow others, and its least sure bit.
        case unsure(FoundTrack, atBit: Int)

        /// Whether a text was found that is not sure enough.
        var isAmbiguous: Bool { refusal?.reason.doubt != nil }

        /// Nil where a track was found.
        var refusal: (reason: TrackRefusal, isReversed: Bool)? {
            switch self {
            case .found: nil
            case .refused(let refusal, let isReversed): (refusal, isReversed)
            case .unsure(let track, let bit): (.ambiguous(.unsureBits, atBit: bit), track.isReversed)
            }
        }
    }

    /// The best-supported track, or the refusal of the attempt that got furthest.
    ///
    /// - Parameter doubt: why the record does not stand by itself, with nothing missing, and at which bit in the order
    ///   of reading; see ``FrameSurroundings`` and ``ClockContinuity``.
    func search(_ soft: SoftBits, repairs: Bool, doubt: (FoundTrack) -> TrackRefusal?) -> Verdict {
        var best: FoundTrack?
        var second: FoundTrack?
        var furthest: (refusal: TrackRefusal, bits: Int, isReversed: Bool) = (.noStartSentinel, 0, false)
        var short = furthest
        let turned = soft.reversed()
        for format in formats {
            for isReversed in [false, true] {
                let bits = isReversed ? turned : soft
                scan(bits, format, repairs: repairs) { found, refusal, length in
                    if var found {
                        guard found.evidence >= Self.leastEvidence else {
                            if length > short.bits, Self.isBetweenZeros(found.place, bits.bits) {
                                short = (.tooShort(atBit: found.place.upperBound), length, isReversed)
                            }
                            return
                        }
                        found.isReversed = isReversed
                        if let doubt = Self.unsureEnd(of: found, bits) ?? doubt(found) {
                            if length > furthest.bits { furthest = (doubt, length, isReversed) }
                            return
                        }
                        if best.map({ $0.evidence < found.evidence }) ?? true {
                            if best?.text != found.text { second = best }
                            best = found
                        } else if best?.text != found.text, (second?.evidence ?? 0) < found.evidence {
                            second = found
                        }
                    } else if let refusal, length > furthest.bits {
                        furthest = (refusal, length, isReversed)
                    }
                }
            }
        }
        guard let best else {
            if furthest.refusal.doubt == nil, short.bits > furthest.bits { furthest = short }
            return .refused(furthest.refusal, isReversed: furthest.isReversed)
        }
        let placed = best.isReversed ? turned : soft
        if best.repairedBits == 0,
            FrameRepair(coding: best.format.coding).margin(placed, best.place) < placed.leastMargin
        {
            let weakest = best.place.min { placed.reliability[$0] < placed.reliability[$1] }
            return .unsure(best, atBit: weakest ?? best.place.lowerBound)
        }
        if let second, second.evidence > best.evidence - Self.leastLead {
            return .refused(
                .ambiguous(.rival, atBit: best.place.lowerBound), isReversed: best.isReversed)
        }
        return .found(best)
    }

    private func scan(
        _ soft: SoftBits, _ format: StripeFormat, repairs: Bool,
        _ report: (FoundTrack?, TrackRefusal?, Int) -> Void
    ) {
        let coding = format.coding
        guard let sentinel = coding.pattern(of: coding.startSentinel) else { return }
        var zeros = 0
        var start = 0
        var repairsLeft = Self.mostRepairs
        while start + coding.bitsPerCharacter <= soft.bits.count {
            if soft.bits[start] == sentinel.first, zeros >= 3 || start == 0 || repairs,
                repairs || Self.matches(soft.bits, sentinel, at: start)
            {
                let mayRepair = repairs && zeros >= FrameRepair.leastLeadingZeros && repairsLeft > 0
                if mayRepair { repairsLeft -= 1 }
                attempt(soft, format, sentinel, at: start, zeros: zeros, repairs: mayRepair, report)
            }
            zeros = soft.bits[start] == 0 ? zeros + 1 : 0
            start += 1
        }
    }

    private func attempt(
        _ soft: SoftBits, _ format: StripeFormat, _ sentinel: [UInt8], at start: Int, zeros: Int,
        repairs: Bool,
        _ report: (FoundTrack?, TrackRefusal?, Int) -> Void
    ) {
        if Self.matches(soft.bits, sentinel, at: start) {
            switch format.coding.read(soft.bits, at: start) {
            case .success(let (text, end)):
                guard !Self.isDoubled(soft.bits[start..<end]) else {
                    return report(nil, .ambiguous(.doubledBits, atBit: start), end - start)
                }
                if let second = format.coding.secondBeginning(in: text) {
                    let bit = start + second * format.coding.bitsPerCharacter
                    return report(nil, .ambiguous(.secondBeginning, atBit: bit), end - start)
                }
                let evidence = evidence(format.coding, text.count, soft.bits, zeros, start: start, end: end)
                let found = FoundTrack(
                    format: format, text: text, isReversed: false, repairedBits: 0, place: start..<end,
                    evidence: evidence)
                return report(found, nil, end - start)
            case .failure(let refusal):
                if zeros >= 3 { report(nil, refusal, (refusal.bitPosition ?? start) - start) }
            }
        }
        guard repairs else { return }
        for repaired in FrameRepair(coding: format.coding).repairs(soft, at: start)
        where !Self.isDoubled(soft.bits[start..<repaired.end])
            && !(format.track < 3 && PaymentTrack.isContradicted(repaired.text))
        {
            let evidence =
                evidence(
                    format.coding, repaired.text.count, soft.bits, zeros, start: start, end: repaired.end)
                - Self.repairCost * Double(repaired.flips)
            let found = FoundTrack(
                format: format, text: repaired.text, isReversed: false, repairedBits: repaired.flips,
                place: start..<repaired.end, evidence: evidence)
            report(found, nil, repaired.end - start)
        }
    }

    /// The evidence for the longest text of a format, at best.
    static func mostEvidence(of coding: TrackFormat) -> Double {
        let characters = coding.parity == .none ? 0 : Double(coding.maximumCharacters)
        return characters + (coding.hasLRC ? Double(coding.dataBits) : 0)
            + zeroWorth * 2 * Double(countedZeros) - placesCost
    }

    private func evidence(
        _ coding: TrackFormat, _ count: Int, _ bits: [UInt8], _ zeros: Int, start: Int, end: Int
    ) -> Double {
        var after = 0
        while after < Self.countedZeros, end + after < bits.count, bits[end + after] == 0 { after += 1 }
        let characters = coding.parity == .none ? 0 : Double(count + (coding.hasLRC ? 1 : 0))
        let check = coding.hasLRC ? Double(coding.dataBits) : 0
        // A start sentinel in the middle of other data is more likely a piece of that data.
        let isInData = zeros < Self.clearLeadIn && start > zeros
        return characters + check + Self.zeroWorth * Double(min(zeros, Self.countedZeros) + after)
            - Self.placesCost - searchedBits - (isInData ? Self.dataBeforeCost : 0)
    }

    /// A sentinel that the signal leaves in doubt, with no plenty of clocking zeros beyond it: where a hand stops in
    /// mid-card, what the clock makes of the slow cells looks like one now and then, and if the characters before it have
    /// even columns, the rest has its LRC.
    private static func unsureEnd(of found: FoundTrack, _ soft: SoftBits) -> TrackRefusal? {
        let coding = found.format.coding
        let width = coding.bitsPerCharacter
        let (start, end) = (found.place.lowerBound, found.place.upperBound)
        let last = end - (coding.hasLRC ? 2 : 1) * width
        guard last > start, start + width <= soft.reliability.count, last + width <= soft.reliability.count
        else {
            return nil
        }
        let isUnsure = { (bit: Int) in
            soft.reliability[bit..<bit + width].contains { $0 < FrameRepair.leastSure }
        }
        let before = soft.bits[..<start].reversed().prefix { $0 == 0 }.count
        if before < plentyOfZeros, isUnsure(start) { return .ambiguous(.piece, atBit: start) }
        let after = soft.bits[end...].prefix { $0 == 0 }.count
        if after < plentyOfZeros, isUnsure(last) { return .ambiguous(.piece, atBit: end) }
        return nil
    }

    /// Zeros in a row that data do not hold.
    private static let plentyOfZeros = 12

    /// Whether clocking zeros stand on both sides, as chance hardly makes them.
    private static func isBetweenZeros(_ place: Range<Int>, _ bits: [UInt8]) -> Bool {
        let before = bits[..<place.lowerBound].suffix(clearLeadIn)
        let after = bits[place.upperBound...].prefix(clearLeadIn)
        return before.count == clearLeadIn && after.count == clearLeadIn
            && before.allSatisfy { $0 == 0 } && after.allSatisfy { $0 == 0 }
    }

    /// Whether every bit comes twice, as where two-tone data are read at half their clock. Even parity then always
    /// holds, and proves nothing.
    private static func isDoubled(_ bits: ArraySlice<UInt8>) -> Bool {
        unequalPairs(bits) <= mostUnequalPairs
    }

    /// Pairs of two different bits, counted from the place that makes them fewest.
    static func unequalPairs(_ bits: ArraySlice<UInt8>) -> Int {
        var unequal = [0, 0]
        for index in bits.indices.dropLast() where bits[index] != bits[index + 1] { unequal[index & 1] += 1 }
        return min(unequal[0], unequal[1])
    }

    private static func matches(_ bits: [UInt8], _ pattern: [UInt8], at start: Int) -> Bool {
        guard start + pattern.count <= bits.count else { return false }
        for offset in pattern.indices where bits[start + offset] != pattern[offset] { return false }
        return true
    }
}

extension TrackFormat {
    /// A character's bits as they pass the head, parity included; nil outside the alphabet.
    func pattern(of ascii: UInt8) -> [UInt8]? {
        guard let value = value(of: ascii) else { return nil }
        var bits = (0..<dataBits).map { UInt8((value >> $0) & 1) }
        let ones = bits.reduce(0) { $0 + Int($1) }
        switch parity {
        case .odd: bits.append(UInt8((ones + 1) & 1))
        case .even: bits.append(UInt8(ones & 1))
        case .none: break
        }
        return bits
    }

    /// Where a start sentinel stands within a text, which the standard (ISO/IEC 7811-2) keeps for its beginning: as where
    /// samples are missing or come twice, and parity and LRC hold.
    func secondBeginning(in text: [UInt8]) -> Int? {
        guard hasLRC, startSentinel != endSentinel else { return nil }
        return text.dropFirst().firstIndex(of: startSentinel)
    }

    /// The text whose start sentinel begins at `start`, and the end of its last bit.
    func read(_ bits: [UInt8], at start: Int) -> Result<(text: [UInt8], end: Int), TrackRefusal> {
        var text: [UInt8] = []
        var columns = 0
        var position = start
        while position + bitsPerCharacter <= bits.count {
            guard let value = character(bits, at: position) else { return .failure(.parity(atBit: position)) }
            columns ^= value
            let ascii = firstCharacter &+ UInt8(truncatingIfNeeded: value)
            position += bitsPerCharacter
            if text.count > 0, text.last == endSentinel, hasLRC,
                text.count > 1 || startSentinel != endSentinel
            {
                // This was the LRC: every column is even now.
                guard columns == 0 else {
                    return .failure(.longitudinalRedundancy(atBit: position - bitsPerCharacter))
                }
                return .success((text, position))
            }
            text.append(ascii)
            if ascii == endSentinel, text.count > 1, !hasLRC { return .success((text, position)) }
            guard text.count < maximumCharacters else { return .failure(.tooLong(atBit: position)) }
        }
        return .failure(.noEndSentinel(atBit: position))
    }

    /// The data bits' value, or nil where parity is wrong. The caller keeps within the run.
    private func character(_ bits: [UInt8], at position: Int) -> Int? {
        var value = 0
        var ones = 0
        for bit in 0..<bitsPerCharacter where bits[position + bit] != 0 {
            ones += 1
            if bit < dataBits { value |= 1 << bit }
        }
        switch parity {
        case .odd: return ones & 1 == 1 ? value : nil
        case .even: return ones & 1 == 0 ? value : nil
        case .none: return value
        }
    }
}
