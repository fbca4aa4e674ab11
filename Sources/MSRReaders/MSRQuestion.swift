import ReaderKit

/// What an encoder is asked at its start, and what its answers say.
///
///     model            1B CODE 53                    one character
///     firmware         1B TEXT                       eight characters by one client; ended by silence or by the message. All of it
///                                                    is looked at before any is told
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

    /// A firmware's name is none with fewer: what is shorter is the answer to something else.
    private static let fewestCharacters = 4
    /// A text that goes on for longer is none.
    private static let maximumCharacters = 32
    private static let digits: ClosedRange<UInt8> = 0x30...0x39
    /// In a row, in a firmware's name; and in all of it, fewer than any card number has, whatever stands between them.
    private static let mostDigits = 4
    private static let mostDigitsInAll = 8
    private static let modelEnd: UInt8 = 0x53
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

    /// The last answer to this question that stands there: in front of it may be a late one to another.
    ///
    /// - Parameters:
    ///   - bytes: what came since it was asked.
    ///   - isEnd: what ends by silence has ended: the message is over, or the time is up.
    ///   - isDoubtful: an earlier question was not answered in time, and what comes now may begin its answer.
    func answer(in bytes: [UInt8], isEnd: Bool, isDoubtful: Bool = false) -> Fact? {
        guard isEnd || !isDoubtful else { return nil }
        for start in bytes.indices.reversed() where bytes[start] == MSRCommand.escape {
            let word = bytes[(start + 1)...].prefix { $0 != MSRCommand.escape }
            let hasEnded = isEnd || word.endIndex < bytes.endIndex
            if let fact = fact(in: Array(word), hasEnded: hasEnded) { return fact }
        }
        return nil
    }

    /// What stands between one ESC and the next says: all of it, or it is the answer to another question.
    private func fact(in word: [UInt8], hasEnded: Bool) -> Fact? {
        switch (self, word.count) {
        case (.model, 2) where word[1] == Self.modelEnd && Self.printable.contains(word[0]):
            .model(Self.text(word.prefix(1)))
        case (.firmware, _): firmware(word, hasEnded)
        case (.coercivity, 1): coercivity(word[0])
        // As many zeros as the model's answer would say, no track has.
        case (.leadingZeros, 2) where word[1] != Self.modelEnd: .leadingZeros(Int(word[0]), Int(word[1]))
        case (.bits, 4) where word[0] == MSRStatus.fine.rawValue: .bits(Array(word[1...]))
        case (.bits, 1): MSRStatus(rawValue: word[0]).flatMap { $0 == .fine ? nil : .refused }
        case (.model, _), (.coercivity, _), (.leadingZeros, _), (.bits, _): nil
        }
    }

    private func coercivity(_ letter: UInt8) -> Fact? {
        switch letter {
        case 0x48, 0x68: .coercivity("high", inSmallLetters: letter == 0x68)
        case 0x4C, 0x6C: .coercivity("low", inSmallLetters: letter == 0x6C)
        case _: nil
        }
    }

    private func firmware(_ word: [UInt8], _ hasEnded: Bool) -> Fact? {
        let text = word.prefix { Self.isOfName($0) }.prefix(Self.maximumCharacters)
        // What a reader says of itself everybody may see: nothing that could be a card's.
        guard
            text.split(whereSeparator: { !Self.digits.contains($0) }).allSatisfy({
                $0.count <= Self.mostDigits
            }), text.count(where: Self.digits.contains) <= Self.mostDigitsInAll
        else { return nil }
        guard hasEnded, text.count >= Self.fewestCharacters else { return nil }
        return .firmware(Self.text(text))
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        digits.contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || " ._-".utf8.contains(byte)
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
