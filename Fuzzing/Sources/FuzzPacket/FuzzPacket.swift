import CardData
import ReaderKit
import ReaderPackets

/// ID TECH packets, as a driver takes them apart. The frame and its check bytes are put around the input here, since no fuzzer
/// finds them.
///
///     first byte   bit 0: typed form; bits 1-2: the cipher that the reader is known to be set to; bits 3-4: whether it has
///                  sessions; bit 7: the packet stands in a tag, which is looked for
///     the rest     the card data
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPacket(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard let form = input.first, input.count < 0x1_0000 else { return 0 }
    let body = Array(input.dropFirst())
    if form & 0x80 != 0 {
        let tag = tag(around: frame(around: body, isTyped: false))
        for range in IDTechTags.packets(in: tag) { look(try? IDTechTags.packet(in: tag, range)) }
    } else {
        look(try? packet(frame(around: body, isTyped: form & 1 != 0), form))
    }
    return 0
}

private func look(_ packet: IDTechPacket?) {
    guard let swipe = packet?.swipe() else { return }
    for track in swipe.tracks { _ = track.masked }
}

private func settings(_ form: UInt8) -> IDTechSettings {
    let ciphers: [IDTechPacket.Cipher?] = [nil, .tdes, .aes, nil]
    let sessions: [Bool?] = [nil, true, false, nil]
    return IDTechSettings(cipher: ciphers[Int(form >> 1 & 3)], hasSessions: sessions[Int(form >> 3 & 3)])
}

private func packet(_ frame: [UInt8], _ form: UInt8) throws(IDTechPacket.Refusal) -> IDTechPacket {
    try IDTechPacket(
        form & 1 != 0 ? .typed(frame) : .binary(frame), settings: settings(form))
}

private func tag(around frame: [UInt8]) -> [UInt8] {
    [
        0xDF, 0xEE, 0x23, 0x82, UInt8(truncatingIfNeeded: frame.count >> 8),
        UInt8(truncatingIfNeeded: frame.count),
    ]
        + frame
}

private func frame(around body: [UInt8], isTyped: Bool) -> [UInt8] {
    let head = [
        IDTechFrame.start, UInt8(truncatingIfNeeded: body.count), UInt8(truncatingIfNeeded: body.count >> 8),
    ]
    let tail = [body.reduce(0, ^), body.reduce(0, &+), IDTechFrame.end]
    return isTyped ? hex(head) + body + hex(tail) : head + body + tail
}

private func hex(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
}
