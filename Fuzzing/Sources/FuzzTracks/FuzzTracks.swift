import CardData

@testable import StripeSignal

/// A long second track, or half of a first one; more of them only take time.
private let mostCells = 400

/// Tracks as the detector's bits or as texts.
///
///     first byte   bit 7: bits, not text
///                  of texts, bits 0-1: track, bit 2: covered by a reader
///                  of bits, bit 0: repairs, bit 1: errors are shared, bits 2-4: which formats
///     the rest     the text; or five bytes of a format of one's own, then the cells: bit 0 what was read there, the
///                  others how sure it is
///
/// One of the two a run: a run that does everything gets through a fifth as many inputs in the same time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTracks(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first, input.count <= 1024 else { return 0 }
    if choice & 0x80 == 0 {
        text(Array(input.dropFirst()), choice)
    } else if input.count > 6 {
        cells(Array(input[6...].prefix(mostCells)), formats(choice, Array(input[1..<6])), choice)
    }
    return 0
}

private func text(_ text: [UInt8], _ choice: UInt8) {
    let track = Int(choice & 3)
    let isCovered = choice & 4 != 0
    let outcome: TrackOutcome =
        isCovered
        ? .encrypted(masked: ReaderCover.checked(text, track: track)) : .read(SensitiveText(utf8: text))
    let reading = TrackReading(track: track, outcome: outcome)
    let other = TrackReading(track: 1, outcome: .read(SensitiveText(utf8: text.reversed())))
    _ = Card.recognise([reading, other])
    _ = reading.masked
}

/// All formats of the daemon, one of them, or one of one's own.
private func formats(_ choice: UInt8, _ bytes: [UInt8]) -> [StripeFormat] {
    let index = Int(choice >> 2 & 7)
    if index == 0 { return StripeFormat.standard }
    return [index <= StripeFormat.standard.count ? StripeFormat.standard[index - 1] : ownFormat(bytes)]
}

/// Within what a file of formats may say.
///
///     byte 0   bits 0-2: bits a character, bits 3-4: parity, bit 5: LRC
///     byte 1   first character · 2, 3: sentinels, from there · 4: longest
private func ownFormat(_ bytes: [UInt8]) -> StripeFormat {
    let parity: TrackFormat.Parity = [.odd, .even, .none, .odd][Int(bytes[0] >> 3 & 3)]
    let dataBits = 4 + Int(bytes[0] & 7) % 5 - (parity == .none ? 0 : 1)
    let alphabet = min(1 << dataBits, 0x100 - Int(bytes[1]))
    let coding = TrackFormat(
        name: "own", dataBits: dataBits, parity: parity, firstCharacter: bytes[1],
        startSentinel: bytes[1] + UInt8(Int(bytes[2]) % alphabet),
        endSentinel: bytes[1] + UInt8(Int(bytes[3]) % alphabet), hasLRC: bytes[0] & 0x20 == 0,
        maximumCharacters: 4 + Int(bytes[4]))
    return StripeFormat(coding: coding, track: 2, bitsPerInch: 75)
}

/// What is found stands in the bits, but for the bits that were repaired.
private func cells(_ cells: [UInt8], _ formats: [StripeFormat], _ choice: UInt8) {
    let soft = SoftBits(
        bits: cells.map { $0 & 1 }, reliability: cells.map { Float($0 >> 1) }, isShared: choice & 2 != 0)
    let search = FrameSearch(formats: formats)
    guard case .found(let found) = search.search(soft, repairs: choice & 1 != 0, doubt: { _ in nil })
    else { return }
    let read = (found.isReversed ? soft.reversed() : soft).bits
    precondition(found.place.lowerBound >= 0 && found.place.upperBound <= read.count, "outside the bits")
    guard let written = try? found.format.coding.bits(of: found.text) else { return }
    precondition(written.count == found.place.count, "a text of another length than its place")
    let changed = zip(written, read[found.place]).count { $0 != $1 }
    precondition(changed == found.repairedBits, "bits changed that nobody repaired")
}
