import CardData
import ReaderKit
import ReaderPackets

/// ID TECH packets, as a driver takes them apart. The frame and its check bytes are put around the input here, since no fuzzer
/// finds them.
///
///     first byte   bit 0: typed form; bits 1-2: the cipher that the reader is known to be set to; bits 3-4: whether it has
///                  sessions; bit 7: the data of several tags, in which packets are looked for
///     the rest     the card data
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPacket(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard let form = input.first, input.count < 0x1_0000 else { return 0 }
    let body = Array(input.dropFirst())
    if form & 0x80 != 0 {
        for range in IDTechTags.packets(in: body) { look(try? IDTechTags.packet(in: body, range)) }
    } else {
        look(try? IDTechPacket(frame(around: body, isTyped: form & 1 != 0), settings: settings(form)))
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

private func frame(around body: [UInt8], isTyped: Bool) throws(IDTechPacket.Refusal) -> IDTechFrame {
    let head = [
        IDTechFrame.start, UInt8(truncatingIfNeeded: body.count), UInt8(truncatingIfNeeded: body.count >> 8),
    ]
    let tail = [body.reduce(0, ^), body.reduce(0, &+), IDTechFrame.end]
    return isTyped ? try .typed(hex(head) + body + hex(tail)) : try .binary(head + body + tail)
}

private func hex(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
}
