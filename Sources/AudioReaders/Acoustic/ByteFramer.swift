import ReaderKit

/// Gathers bits to bytes: a start bit 0, eight bits with the lowest first, a parity bit where there is one, a stop
/// bit 1.
struct ByteFramer: Sendable {
    private enum State: Sendable {
        /// The line is at 1.
        case idle
        case data(UInt8, count: UInt8)
        case parity(UInt8)
        case stop(UInt8, isParityRight: Bool)
        /// After an error: a 1 must come before a start bit is believed.
        case broken
    }

    private let parity: AcousticProfile.Parity
    private var state = State.idle

    init(parity: AcousticProfile.Parity) { self.parity = parity }

    var isInByte: Bool {
        switch state {
        case .idle, .broken: false
        case .data, .parity, .stop: true
        }
    }

    mutating func receive(_ bit: Bool) -> AcousticEvent? {
        switch state {
        case .idle: if !bit { state = .data(0, count: 0) }
        case .data(let bits, let count): state = data(bits | (bit ? 1 << count : 0), count + 1)
        case .parity(let byte):
            let isEven = byte.nonzeroBitCount % 2 == (bit ? 1 : 0)
            state = .stop(byte, isParityRight: isEven == (parity == .even))
        case .stop(let byte, let isParityRight):
            state = bit ? .idle : .broken
            return bit ? (isParityRight ? .byte(byte) : .parityError) : .framingError
        case .broken: if bit { state = .idle }
        }
        return nil
    }

    /// The bits' clock was lost; tells of it where it costs a byte.
    mutating func lose() -> AcousticEvent? {
        defer { state = .broken }
        return isInByte ? .framingError : nil
    }

    /// The bits' clock was set right by a pulse: what comes next is a bit for sure.
    mutating func restart() -> AcousticEvent? {
        defer { state = .idle }
        return isInByte ? .framingError : nil
    }

    mutating func reset() { state = .idle }

    private func data(_ bits: UInt8, _ count: UInt8) -> State {
        guard count == 8 else { return .data(bits, count: count) }
        return parity == .none ? .stop(bits, isParityRight: true) : .parity(bits)
    }
}
