/// A command of the EMV family (eDynamo and its kin), longer than a feature report may be. [1 source: the maker's web
/// client]
///
///     request   49 LL OO OO NN NN TT TT data…         answer   RR LL OO OO XX XX TT TT data…
///     fetch     4A 00                                 the rest of an answer, in the same form
///
/// L: bytes that follow, the six of the header included · O: offset of the data · N: which command · T: bytes of data in
/// all · R: 0A for a part of an answer, 0B for "send the next part" · X: the command's own result, 0 for success;
/// numbers high byte first
struct MagTekExtendedCommand: Sendable, Hashable {
    /// Data in one fragment: a feature report of 60 bytes holds 51 at most, as the maker's client cuts them.
    static let fragmentBytes = 51
    static let headerBytes = 6
    /// More data than this is neither sent nor taken; 16 bits of length allow more than any reader has.
    static let maximumBytes = 4096

    /// Sets the clock. Data: 17 zeros, month, day, hour, minute, second, 0, years since 2008.
    static let setDateAndTime: UInt16 = 0x030C

    var number: UInt16
    var data: [UInt8]

    /// The requests without padding, at least one.
    var fragments: [[UInt8]] {
        let data = data.prefix(Self.maximumBytes)
        let starts = data.isEmpty ? [0] : Array(stride(from: 0, to: data.count, by: Self.fragmentBytes))
        return starts.map { start in
            let part = data[start...].prefix(Self.fragmentBytes)
            let header = [start, Int(number), data.count].flatMap(Self.bigEndian)
            return [0x49, UInt8(Self.headerBytes + part.count)] + header + part
        }
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
}

/// The talk about one extended command.
///
///     state        the reader said            then
///     sending      0B                         the next fragment
///     collecting   a part of the answer       4A, until all of it is there
struct MagTekExtendedDialogue: Sendable, Hashable {
    /// A reader that is still busy is asked so many times, then given up.
    static let maximumFetches = 128
    private static let fetch: [UInt8] = [0x4A, 0x00]

    enum Step: Sendable, Hashable {
        /// This is to be sent next, without padding.
        case send([UInt8])
        case done([UInt8])
    }

    private var unsent: ArraySlice<[UInt8]>
    private var collected: [UInt8] = []
    private var fetches = 0

    /// The first fragment is under way already.
    init(_ command: MagTekExtendedCommand) { unsent = command.fragments.dropFirst() }

    /// Takes the whole feature report of an answer.
    mutating func answered(_ report: [UInt8]) throws(MagTekResponse.Refusal) -> Step {
        guard let code = report.first else { throw .malformed }
        switch MagTekResultCode(code) {
        case .buffering: return try next()
        case nil where !unsent.isEmpty: return try next()
        case nil, .moreData: return try collect(report)
        case .failed, .badParameter, .redundant, .badData, .delayed, .invalidOperation, .counterExpired,
            .unknown:
            throw .result(MagTekResultCode(code) ?? .unknown(code))
        }
    }

    private mutating func next() throws(MagTekResponse.Refusal) -> Step {
        if let fragment = unsent.popFirst() { return .send(fragment) }
        fetches += 1
        guard fetches <= Self.maximumFetches else { throw .stillBusy }
        return .send(Self.fetch)
    }

    private mutating func collect(_ report: [UInt8]) throws(MagTekResponse.Refusal) -> Step {
        let header = MagTekExtendedCommand.headerBytes
        guard report.count >= 2 + header, Int(report[1]) >= header, report.count - 2 >= Int(report[1]) else {
            throw .malformed
        }
        let number = { (place: Int) in Int(report[place]) << 8 | Int(report[place + 1]) }
        let (offset, result, total) = (number(2), number(4), number(6))
        guard result == 0 else { throw .extended(UInt16(truncatingIfNeeded: result)) }
        let part = report[(2 + header)..<(2 + Int(report[1]))]
        guard total <= MagTekExtendedCommand.maximumBytes, offset == collected.count,
            offset + part.count <= total
        else { throw .malformed }
        collected += part
        return collected.count == total ? .done(collected) : try next()
    }
}
