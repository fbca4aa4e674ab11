import CardData

/// Bits enough for a short track; every place among them is tried as a start, so more of them only take time.
private let bitBytes = 32
private let formats: [TrackFormat] = [.iso1, .iso2, .iso3, .aamva, .jis2]

/// Tracks as bits or as texts.
///
///     first byte   bits 0-1: track, bit 2: covered by a reader, bits 3-5: format of the bits, bit 7: bits, not text
///     the rest     the text; or the bits, eight in a byte
///
/// One of the two a run: a run that does everything gets through a fifth as many inputs in the same time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTracks(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first, input.count <= 1024 else { return 0 }
    if choice & 0x80 == 0 {
        text(Array(input.dropFirst()), choice)
    } else {
        bits(input.dropFirst().prefix(bitBytes), formats[Int(choice >> 3 & 7) % formats.count])
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

private func bits(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ format: TrackFormat) {
    var bits: [UInt8] = []
    bits.reserveCapacity(bytes.count * 8)
    for byte in bytes { for bit in 0..<8 { bits.append(byte >> UInt8(bit) & 1) } }
    if case .success(let decoded) = format.decode(bits) { precondition(decoded.endBit <= bits.count) }
}
