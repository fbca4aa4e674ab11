import CardData

/// Bits enough for a short track; every place among them is tried as a start, so more of them only take time.
private let bitBytes = 32

/// Tracks as bits and as texts.
///
///     first byte   bits 0-1: track, bit 2: covered by a reader
///     the rest     the text; and, a bit of each byte, the bits
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTracks(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard let choice = input.first, input.count <= 1024 else { return 0 }
    let text = Array(input.dropFirst())
    let track = Int(choice & 3)
    let clear = TrackReading(track: track, outcome: .read(SensitiveText(utf8: text)))
    let covered = TrackReading(
        track: track, outcome: .encrypted(masked: ReaderCover.checked(text, track: track)))
    let other = TrackReading(track: 1, outcome: .read(SensitiveText(utf8: text.reversed())))
    _ = Card.recognise(choice & 4 == 0 ? [clear, other] : [covered, other])
    _ = clear.masked
    _ = covered.masked
    let bits = text.prefix(bitBytes).flatMap { byte in (0..<8).map { byte >> $0 & 1 } }
    for format in [TrackFormat.iso1, .iso2, .iso3, .aamva, .jis2] {
        if case .success(let decoded) = format.decode(bits) { _ = decoded.text.count }
    }
    return 0
}
