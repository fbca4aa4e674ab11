import CardData

/// Repairs a frame by its own redundancy: the most likely text that satisfies every parity bit and the LRC.
///
/// Rows are characters, each with its parity; columns are data bits, each made even by the LRC. The search is a
/// dynamic programme over the rows whose state is the columns' parity.
///
/// Where one error event of the detector flips neighbours together (``SoftBits/isShared``), a row's flipped bits cost
/// as much as the surest of them, not their sum.
struct FrameRepair: Sendable {
    var coding: TrackFormat

    struct Repair: Sendable {
        var text: [UInt8]
        var flips: Int
        var end: Int
    }

    /// A repair is not tried without a clear lead-in: it would find a track in anything.
    static let leastLeadingZeros = 4
    /// More flipped bits than this are no repair, they are a guess.
    static let mostFlips = 6
    /// Frame lengths tried for each start.
    private static let mostLengths = 4
    /// Shortest text worth repairing, sentinels included.
    private static let fewestCharacters = 8

    /// By how much the text that stands in the bits leads every other text that its redundancy allows; no more than the
    /// margin asked for is computed of it.
    ///
    /// Parity and LRC miss four wrong bits at the corners of a rectangle: where four such bits are all doubtful, a
    /// frame without a visible error is a guess.
    func margin(_ soft: SoftBits, _ place: Range<Int>) -> Float {
        guard coding.parity != .none, coding.hasLRC else {
            // Nothing checks such a frame: its weakest bit decides.
            return soft.reliability[place].min() ?? 0
        }
        let rows = place.count / coding.bitsPerCharacter
        // By how much more a text that leads clearly does so is not asked.
        let (table, syndrome) = table(
            soft, soft.bits[place].map { $0 }, start: place.lowerBound, rows: rows, below: soft.leastMargin)
        return table[rows * (1 << coding.dataBits) + syndrome].second
    }

    func repairs(_ soft: SoftBits, at start: Int) -> [Repair] {
        guard coding.parity != .none, coding.hasLRC,
            let first = coding.pattern(of: coding.startSentinel),
            let last = coding.pattern(of: coding.endSentinel),
            distance(soft, first, at: start) <= 1
        else { return [] }
        let width = coding.bitsPerCharacter
        var found: [Repair] = []
        var lengths = 0
        var badRows = 0
        for row in 0..<coding.maximumCharacters - 1 {
            let position = start + row * width
            guard position + 2 * width <= soft.bits.count, lengths < Self.mostLengths else { break }
            if rowViolation(soft, position) { badRows += 1 }
            guard badRows <= Self.mostFlips else { break }
            guard row + 1 >= Self.fewestCharacters, distance(soft, last, at: position) <= 1,
                endsInZeros(soft, position + 2 * width)
            else { continue }
            lengths += 1
            if let repair = solve(soft, start: start, rows: row + 2, first: first, last: last) {
                found.append(repair)
            }
        }
        return found
    }

    /// After the LRC come clocking zeros, or nothing.
    private func endsInZeros(_ soft: SoftBits, _ position: Int) -> Bool {
        let zeros = soft.bits[min(position, soft.bits.count)...].prefix(8)
        return zeros.reduce(0) { $0 + Int($1) } <= 1
    }

    private func distance(_ soft: SoftBits, _ pattern: [UInt8], at start: Int) -> Int {
        guard start + pattern.count <= soft.bits.count else { return .max }
        var count = 0
        for offset in pattern.indices where soft.bits[start + offset] != pattern[offset] { count += 1 }
        return count
    }

    private func rowViolation(_ soft: SoftBits, _ position: Int) -> Bool {
        var ones = coding.parity == .odd ? 1 : 0
        for bit in 0..<coding.bitsPerCharacter { ones += Int(soft.bits[position + bit]) }
        return ones & 1 == 1
    }

    private struct State {
        var cost = Float.infinity
        var second = Float.infinity
        /// Bits flipped in the row that led here.
        var flips: UInt16 = 0
        var from: UInt8 = 0
    }

    private func solve(_ soft: SoftBits, start: Int, rows: Int, first: [UInt8], last: [UInt8]) -> Repair? {
        let width = coding.bitsPerCharacter
        let masks = 1 << coding.dataBits
        var bits = Array(soft.bits[start..<start + rows * width])
        var flipped = force(&bits, first, at: 0) + force(&bits, last, at: (rows - 2) * width)
        // Zeros in the LRC's place: the card has none, and nothing would check the text.
        guard bits.suffix(width).contains(1) else { return nil }
        let fixedCost = cost(of: soft, start, bits)
        let (table, syndrome) = table(soft, bits, start: start, rows: rows)
        let end = table[rows * masks + syndrome]
        guard end.cost < .infinity, end.second - end.cost >= soft.leastMargin else { return nil }
        flipped += trace(table, masks, rows, syndrome, &bits)
        let sum = cost(of: soft, start, bits)
        guard flipped > 0, flipped <= Self.mostFlips, sum < Self.mostCost,
            changesOnlyDoubtful(soft, start, bits),
            // The best text is rated by all its flips, its rival by no more than it must cost.
            fixedCost + end.second - sum >= soft.leastMargin
        else { return nil }
        return text(bits, rows: rows).map { Repair(text: $0, flips: flipped, end: start + rows * width) }
    }

    /// Whether every bit that was changed is one that the signal left in doubt, or the reversal that a character has
    /// lost, of which its own parity tells. Where the signal had no doubt, the card says what it says: an LRC that does
    /// not fit it is wrong, and nothing tells what would be right.
    private func changesOnlyDoubtful(_ soft: SoftBits, _ start: Int, _ bits: [UInt8]) -> Bool {
        let width = coding.bitsPerCharacter
        return stride(from: 0, to: bits.count, by: width).allSatisfy { row in
            var lost = 0
            for index in row..<row + width where bits[index] != soft.bits[start + index] {
                guard soft.reliability[start + index] >= Self.leastSure else { continue }
                guard bits[index] == 1 else { return false }
                lost += 1
            }
            return lost == 0 || (lost == 1 && rowViolation(soft, start + row))
        }
    }

    /// A bit as sure as this, as a log-likelihood, is in no doubt: one in some hundred.
    static let leastSure: Float = 5

    /// The cheapest and second cheapest way to every column parity after every row, and the parity that is needed.
    ///
    /// - Parameter limit: costs that are no lower need not be right, only no lower.
    private func table(
        _ soft: SoftBits, _ bits: [UInt8], start: Int, rows: Int, below limit: Float = .infinity
    ) -> (table: [State], syndrome: Int) {
        let width = coding.bitsPerCharacter
        let masks = 1 << coding.dataBits
        var table = [State](repeating: State(), count: (rows + 1) * masks)
        table[0].cost = 0
        for row in 0..<rows {
            let isFixed = row == 0 || row == rows - 2
            let options = options(soft, bits, start, row: row, isFixed: isFixed).filter { $0.cost < limit }
            for mask in 0..<masks {
                let state = table[row * masks + mask]
                guard state.cost < limit else { continue }
                for option in options {
                    let next = mask ^ (Int(option.flips) & (masks - 1))
                    add(state, option, from: UInt8(mask), to: &table[(row + 1) * masks + next])
                }
            }
        }
        // The columns' parity over all rows: what the flips must make up for.
        var syndrome = 0
        for index in bits.indices where bits[index] != 0 && index % width < coding.dataBits {
            syndrome ^= 1 << (index % width)
        }
        return (table, syndrome)
    }

    /// A repair that goes against bits as sure as this in sum is not believed.
    private static let mostCost: Float = 60

    private func force(_ bits: inout [UInt8], _ pattern: [UInt8], at position: Int) -> Int {
        var count = 0
        for offset in pattern.indices where bits[position + offset] != pattern[offset] {
            bits[position + offset] = pattern[offset]
            count += 1
        }
        return count
    }

    private func cost(of soft: SoftBits, _ start: Int, _ bits: [UInt8]) -> Float {
        var cost: Float = 0
        for index in bits.indices where bits[index] != soft.bits[start + index] {
            let reliability = soft.reliability[start + index]
            cost += soft.bits[start + index] == 0 ? min(reliability, Self.lossCost) : reliability
        }
        return cost
    }

    private struct Option {
        var flips: UInt16
        var cost: Float
    }

    /// Bits surer than this are not flipped: neither a repair nor a rival text may go so far.
    private static let mostFlipCost: Float = 24
    /// A one whose middle reversal is lost *is* a zero, however clear the signal: one in a million.
    private static let lossCost: Float = 14

    /// The ways to give a row its parity: every set of doubtful bits, of even size where it is right, else odd, and
    /// at most one lost reversal.
    private func options(_ soft: SoftBits, _ bits: [UInt8], _ start: Int, row: Int, isFixed: Bool) -> [Option]
    {
        let width = coding.bitsPerCharacter
        let position = start + row * width
        if isFixed { return [Option(flips: 0, cost: 0)] }
        let isWrong = rowViolation(soft, position)
        var sets = [Option(flips: 0, cost: 0)]
        for bit in 0..<width {
            let reliability = soft.reliability[position + bit]
            guard reliability < Self.lossCost else { continue }
            for index in sets.indices {
                let cost = soft.isShared ? max(sets[index].cost, reliability) : sets[index].cost + reliability
                sets.append(Option(flips: sets[index].flips | 1 << UInt16(bit), cost: cost))
            }
        }
        let doubtful = sets.indices
        for bit in 0..<width {
            let reliability = soft.reliability[position + bit]
            let cost = soft.bits[position + bit] == 0 ? Self.lossCost : reliability
            guard reliability >= Self.lossCost, cost < Self.mostFlipCost else { continue }
            for index in doubtful {
                sets.append(
                    Option(flips: sets[index].flips | 1 << UInt16(bit), cost: sets[index].cost + cost))
            }
        }
        return sets.filter { ($0.flips.nonzeroBitCount & 1 == 1) == isWrong }
    }

    private func add(_ state: State, _ option: Option, from: UInt8, to target: inout State) {
        let cost = state.cost + option.cost
        if cost < target.cost {
            target.second = min(target.cost, state.second + option.cost)
            target.cost = cost
            target.flips = option.flips
            target.from = from
        } else if cost < target.second {
            target.second = cost
        }
    }

    private func trace(_ table: [State], _ masks: Int, _ rows: Int, _ end: Int, _ bits: inout [UInt8]) -> Int
    {
        var mask = end
        var count = 0
        for row in stride(from: rows, to: 0, by: -1) {
            let state = table[row * masks + mask]
            for bit in 0..<coding.bitsPerCharacter where (state.flips >> UInt16(bit)) & 1 == 1 {
                bits[(row - 1) * coding.bitsPerCharacter + bit] ^= 1
                count += 1
            }
            mask = Int(state.from)
        }
        return count
    }

    private func text(_ bits: [UInt8], rows: Int) -> [UInt8]? {
        guard case .success(let (text, end)) = coding.read(bits, at: 0), end == rows * coding.bitsPerCharacter
        else {
            return nil
        }
        return text
    }
}
