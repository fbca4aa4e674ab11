/// An encoder of the MSR206, 605, 606 kind, as its manual says that it behaves: bytes in, bytes out. It knows nothing of the
/// driver; commands that change a card are counted, not carried out.
///
/// Source: MSR606 Programmer's Manual, revision B; what sources disagree on is a setting (``Habits``).
package struct EncoderSimulator: Sendable {
    /// Ways in which encoders differ.
    package struct Habits: Sendable, Hashable {
        /// What stands for a track without data.
        package enum Blank: Sendable, Hashable, CaseIterable { case nothing, mark, zeroLength }
        package var blank = Blank.nothing
        /// The length of a raw track counts itself.
        package var countsItself = false
        /// The first bit of a raw byte is its lowest.
        package var lowBitFirst = false
        /// Coercivity is told in small letters.
        package var smallLetters = false
        /// Knows no question but the communication test.
        package var isTaciturn = false
        /// A failed read has a status and no block.
        package var omitsFailedBlock = false
        /// What stands for a track that failed, among bits as well as texts.
        package enum Failed: Sendable, Hashable, CaseIterable { case mark, nothing }
        /// Nil: texts have the mark, and bits come as they are.
        package var failed: Failed?
        /// Has no lights: a command for them fails.
        package var refusesLights = false
        /// A read that is asked for ends at once, with this status.
        package var endsReadsWith: UInt8?
        /// How long it takes to answer; whoever keeps the time obeys.
        package var answersAfter = Duration.zero
        package init() {}
    }

    /// What passes the head, track by track.
    package enum Stripe: Sendable, Hashable {
        case blank
        /// As the device reads it, and the bits in the order in which they pass.
        case recorded(text: [UInt8], bits: [UInt8])
        /// Bits that the device cannot read as its ISO format.
        case unreadable(bits: [UInt8])
    }

    package enum Light: Sendable, Hashable { case off, all, green, yellow, red }

    private enum Pending: Sendable, Hashable { case none, text, raw }
    private static let failure: UInt8 = 0x41

    private static let escape: UInt8 = 0x1B
    package var habits: Habits
    package private(set) var light = Light.off
    package private(set) var bitsPerByte: [UInt8] = [7, 5, 5]
    package private(set) var resets = 0
    /// Commands that would have changed a card or how one is written; there must never be any.
    package private(set) var harm: [[UInt8]] = []
    package private(set) var unknown: [[UInt8]] = []
    private var pending = Pending.none
    private var input: [UInt8] = []
    /// The card that is passing.
    private var passing: [Stripe]?
    /// It has power and a line, and says nothing.
    package var isMute = false

    package init(_ habits: Habits = Habits()) { self.habits = habits }

    /// Whether a card that passes now is read.
    package var isWaitingForCard: Bool { pending != .none }

    /// The power went and came: what was asked for is forgotten.
    package mutating func losePower() {
        (pending, passing) = (.none, nil)
        light = .off
        bitsPerByte = [7, 5, 5]
        input = []
    }

    /// Bytes from the host, and what is answered.
    package mutating func receive(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        input += bytes
        var answers: [UInt8] = []
        while let start = input.firstIndex(of: Self.escape), input.count >= start + 2 {
            let letter = input[start + 1]
            let length = 2 + Self.argumentBytes(letter)
            guard input.count >= start + length else { break }
            let command = Array(input[start..<(start + length)])
            input.removeFirst(start + length)
            answers += isMute ? [] : answer(command)
        }
        return answers
    }

    private static func argumentBytes(_ letter: UInt8) -> Int {
        switch letter {
        case 0x6F: 3
        case 0x63, 0x62: 1
        case 0x7A: 2
        case _: 0
        }
    }

    private mutating func answer(_ command: [UInt8]) -> [UInt8] {
        let letter = command[1]
        // While a read is pending nothing but a reset is heard.
        if pending != .none, letter != 0x61 { return [] }
        switch letter {
        case 0x61:
            (pending, passing) = (.none, nil)
            resets += 1
        case 0x65: return [Self.escape, 0x79]
        case 0x72: return read(.text)
        case 0x6D: return read(.raw)
        case 0x81...0x85 where habits.refusesLights: return [Self.escape, Self.failure]
        case 0x81: light = .off
        case 0x82: light = .all
        case 0x83: light = .green
        case 0x84: light = .yellow
        case 0x85: light = .red
        case 0x77, 0x6E, 0x63, 0x78, 0x79, 0x7A, 0x62: harm.append(command)
        case _: return habits.isTaciturn ? [] : question(command)
        }
        return []
    }

    private mutating func read(_ kind: Pending) -> [UInt8] {
        if let status = habits.endsReadsWith { return [Self.escape, status] }
        pending = kind
        return []
    }

    private mutating func question(_ command: [UInt8]) -> [UInt8] {
        switch command[1] {
        case 0x74: return [Self.escape, UInt8(ascii: "3"), 0x53]
        case 0x76: return [Self.escape] + Array("REVT3.12".utf8)
        case 0x64: return [Self.escape, habits.smallLetters ? 0x6C : 0x4C]
        case 0x6C: return [Self.escape, 61, 22]
        case 0x6F:
            bitsPerByte = Array(command[2...])
            return [Self.escape, 0x30] + bitsPerByte
        case _:
            unknown.append(command)
            return [Self.escape, Self.failure]
        }
    }

    /// A card begins to pass; nothing is sent until it has.
    package mutating func beginSwipe(_ stripes: [Stripe]) {
        passing = pending == .none ? nil : stripes
    }

    /// It has passed: what is sent, nothing where no read was pending all the while.
    package mutating func endSwipe() -> [UInt8] {
        defer { passing = nil }
        guard let stripes = passing, pending != .none, !isMute else { return [] }
        let isRaw = pending == .raw
        pending = .none
        let hasFailed = stripes.contains { if case .unreadable = $0 { true } else { false } }
        let status: UInt8 = hasFailed ? 0x31 : 0x30
        if hasFailed, habits.omitsFailedBlock { return [Self.escape, status] }
        var block: [UInt8] = [Self.escape, 0x73]
        for (index, stripe) in stripes.enumerated() {
            block += [Self.escape, UInt8(index + 1)] + (isRaw ? raw(stripe) : text(stripe))
        }
        return block + [0x3F, 0x1C, Self.escape, status]
    }

    /// A card passes.
    package mutating func swipe(_ stripes: [Stripe]) -> [UInt8] {
        beginSwipe(stripes)
        return endSwipe()
    }

    private func text(_ stripe: Stripe) -> [UInt8] {
        switch stripe {
        case .blank: habits.blank == .nothing ? [] : [Self.escape, 0x2B]
        case .recorded(let text, _): text
        case .unreadable: failed(habits.failed ?? .mark)
        }
    }

    private func raw(_ stripe: Stripe) -> [UInt8] {
        switch stripe {
        case .blank:
            switch habits.blank {
            case .nothing: []
            case .mark: [Self.escape, 0x2B]
            case .zeroLength: [habits.countsItself ? 1 : 0]
            }
        case .recorded(_, let bits): packed(bits)
        case .unreadable(let bits): habits.failed.map(failed) ?? packed(bits)
        }
    }

    private func failed(_ habit: Habits.Failed) -> [UInt8] {
        switch habit {
        case .mark: [Self.escape, 0x2A]
        case .nothing: []
        }
    }

    private func packed(_ bits: [UInt8]) -> [UInt8] {
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start...].prefix(8).enumerated().reduce(UInt8(0)) { byte, bit in
                byte | bit.element << UInt8(habits.lowBitFirst ? bit.offset : 7 - bit.offset)
            }
        }
        return [UInt8(bytes.count + (habits.countsItself ? 1 : 0))] + bytes
    }
}
