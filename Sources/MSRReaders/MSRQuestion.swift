import ReaderKit

/// What an encoder is asked at its start, and what its answers say.
///
///     model            1B CODE 53                    one character
///     firmware         1B TEXT                       eight characters by one client; ended by silence or by the message
///     coercivity       1B 48 high, 1B 4C low         by the manual; 68 and 6C in one client's device
///     leading zeros    1B N13 N2
///     bits             1B 30 B1 B2 B3, or 1B 41      what is set now
enum MSRQuestion: Sendable, Hashable, CaseIterable {
    case model, firmware, coercivity, leadingZeros, bits

    enum Fact: Sendable, Hashable {
        case model(String)
        case firmware(String)
        case coercivity(String, inSmallLetters: Bool)
        case leadingZeros(Int, Int)
        /// What a byte of a raw block holds, track by track.
        case bits([UInt8])
        case refused
    }

    enum Answer: Sendable, Hashable {
        case fact(Fact)
        /// More must come.
        case waiting
        /// What came is none.
        case none
    }

    private static let firmwareCharacters = 8
    /// A text that goes on for longer is none.
    private static let maximumCharacters = 32
    private static let printable: ClosedRange<UInt8> = 0x20...0x7E

    func command(_ reading: MSRReading) -> MSRCommand {
        switch self {
        case .model: .model
        case .firmware: .firmware
        case .coercivity: .askCoercivity
        case .leadingZeros: .askLeadingZeros
        case .bits: reading == .raw ? .eightBits : .usualBits
        }
    }

    /// - Parameters:
    ///   - bytes: what came since it was asked.
    ///   - isOver: nothing more comes, for the message has ended or the time is up.
    func answer(in bytes: [UInt8], isOver: Bool) -> Answer {
        guard let start = bytes.firstIndex(of: MSRCommand.escape) else { return isOver ? .none : .waiting }
        let body = bytes[(start + 1)...]
        let found = fact(in: Array(body), isOver: isOver)
        return found ?? (isOver ? .none : .waiting)
    }

    private func fact(in body: [UInt8], isOver: Bool) -> Answer? {
        switch self {
        case .model:
            guard body.count >= 2 else { return nil }
            return body[1] == 0x53 && Self.printable.contains(body[0])
                ? .fact(.model(Self.text(body.prefix(1)))) : Answer.none
        case .firmware: return firmware(body, isOver)
        case .coercivity:
            guard let letter = body.first else { return nil }
            switch letter {
            case 0x48, 0x68: return .fact(.coercivity("high", inSmallLetters: letter == 0x68))
            case 0x4C, 0x6C: return .fact(.coercivity("low", inSmallLetters: letter == 0x6C))
            case _: return Answer.none
            }
        case .leadingZeros:
            return body.count >= 2 ? .fact(.leadingZeros(Int(body[0]), Int(body[1]))) : nil
        case .bits:
            guard let first = body.first else { return nil }
            guard first == MSRStatus.fine.rawValue else { return .fact(.refused) }
            return body.count >= 4 ? .fact(.bits(Array(body[1...3]))) : nil
        }
    }

    private func firmware(_ body: [UInt8], _ isOver: Bool) -> Answer? {
        let text = body.prefix { Self.printable.contains($0) }.prefix(Self.maximumCharacters)
        guard isOver || text.count >= Self.firmwareCharacters || text.count < body.count else { return nil }
        return text.isEmpty ? Answer.none : .fact(.firmware(Self.text(text)))
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
