/// A track read out of a run of bits.
public struct DecodedTrack: Sendable, Hashable {
    /// Start sentinel to end sentinel, without the LRC.
    public var text: SensitiveText
    /// The run's index of the start sentinel's first bit, in the direction of reading.
    public var firstBit: Int
    /// One past the run's index of the LRC's last bit (of the end sentinel's, in formats without LRC).
    public var endBit: Int
    /// Whether the run had to be turned round: the card was swiped backward.
    public var isReversed: Bool
}

extension TrackFormat {
    /// Reads a track out of bits, forward first, then reversed.
    ///
    /// - Parameters:
    ///   - bits: zeros and ones in the order in which they passed the head, clocking zeros included.
    ///   - minimumLeadingZeros: how many zeros must stand before the start sentinel.
    /// - Returns: the track, or the refusal of the direction that got further.
    public func decode(_ bits: [UInt8], minimumLeadingZeros: Int = 0) -> Result<DecodedTrack, TrackRefusal> {
        let forward = decodeForward(bits, minimumLeadingZeros: minimumLeadingZeros)
        guard case .failure(let forwardRefusal) = forward else { return forward }
        let backward = decodeForward(bits.reversed(), minimumLeadingZeros: minimumLeadingZeros)
        switch backward {
        case .success(var track):
            track.isReversed = true
            return .success(track)
        case .failure(let backwardRefusal):
            let gotFurther = (backwardRefusal.bitPosition ?? -1) > (forwardRefusal.bitPosition ?? -1)
            return .failure(gotFurther ? backwardRefusal : forwardRefusal)
        }
    }

    /// Reads a track out of bits in the one direction given.
    ///
    /// Every place that looks like a start sentinel is tried, since leading noise can imitate one; the refusal
    /// returned is that of the attempt that read most bits.
    public func decodeForward(
        _ bits: [UInt8], minimumLeadingZeros: Int = 0
    ) -> Result<DecodedTrack, TrackRefusal> {
        var best = TrackRefusal.noStartSentinel
        var bestLength = 0
        var start = 0
        var zerosBefore = 0
        while start + bitsPerCharacter <= bits.count {
            if zerosBefore >= minimumLeadingZeros, character(in: bits, at: start) == .success(startSentinel) {
                switch decodeCharacters(bits, from: start) {
                case .success(let track): return .success(track)
                case .failure(let refusal):
                    let length = (refusal.bitPosition ?? start) - start
                    if length > bestLength { (best, bestLength) = (refusal, length) }
                }
            }
            zerosBefore = bits[start] == 0 ? zerosBefore + 1 : 0
            start += 1
        }
        return .failure(best)
    }

    private func decodeCharacters(_ bits: [UInt8], from start: Int) -> Result<DecodedTrack, TrackRefusal> {
        var text: [UInt8] = []
        var redundancy = 0
        var position = start
        while position + bitsPerCharacter <= bits.count {
            guard case .success(let ascii) = character(in: bits, at: position) else {
                return .failure(.parity(atBit: position))
            }
            text.append(ascii)
            redundancy ^= Int(ascii) - Int(firstCharacter)
            position += bitsPerCharacter
            // In JIS II both sentinels are the same character, so the first one never ends a track.
            if ascii == endSentinel, text.count > 1 {
                return finish(text, redundancy: redundancy, bits, start: start, position: position)
            }
            guard text.count < maximumCharacters else { return .failure(.tooLong(atBit: position)) }
        }
        return .failure(.noEndSentinel(atBit: position))
    }

    private func finish(
        _ text: [UInt8], redundancy: Int, _ bits: [UInt8], start: Int, position: Int
    ) -> Result<DecodedTrack, TrackRefusal> {
        var end = position
        if hasLRC {
            guard text.count < maximumCharacters else { return .failure(.tooLong(atBit: position)) }
            end += bitsPerCharacter
            guard end <= bits.count else { return .failure(.longitudinalRedundancy(atBit: position)) }
            guard case .success(let check) = character(in: bits, at: position) else {
                return .failure(.parity(atBit: position))
            }
            guard Int(check) - Int(firstCharacter) == redundancy else {
                return .failure(.longitudinalRedundancy(atBit: position))
            }
        }
        return .success(
            DecodedTrack(text: SensitiveText(utf8: text), firstBit: start, endBit: end, isReversed: false))
    }

    /// The character whose bits begin at `position`, parity checked. The caller keeps within the run.
    private func character(in bits: [UInt8], at position: Int) -> Result<UInt8, TrackRefusal> {
        var value = 0
        var ones = 0
        for bit in 0..<dataBits where bits[position + bit] != 0 {
            value |= 1 << bit
            ones += 1
        }
        if parity != .none { ones += bits[position + dataBits] != 0 ? 1 : 0 }
        switch parity {
        case .odd where ones & 1 == 0, .even where ones & 1 == 1: return .failure(.parity(atBit: position))
        case .odd, .even, .none: return .success(firstCharacter &+ UInt8(truncatingIfNeeded: value))
        }
    }
}
