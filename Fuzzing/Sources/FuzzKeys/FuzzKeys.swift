import CardData
import KeyboardReaders
import ReaderKit

/// The keys of readers that type.
///
///     first byte   bit 0: boot reports as they are, eight bytes each with a gap before them; else a text that is typed
///     the text     characters; 80 to 8F and above: keys that are lost, a pause, a report twice, left out, with a bit changed
///
/// Behind a loss nothing may be read until a pause.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeys(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    var replay = KeyReplay()
    if choice & 1 != 0 { raw(bytes, &replay) } else { typed(bytes, &replay) }
    for swipe in replay.swipes { for track in swipe.tracks { _ = track.masked } }
    return 0
}

private func raw(_ bytes: [UInt8], _ replay: inout KeyReplay) {
    var now = Duration.zero
    for start in stride(from: 0, to: bytes.count, by: 9) {
        now += .milliseconds(Int(bytes[start]))
        replay.take([KeyInput(.report(Array(bytes[(start + 1)...].prefix(8))), at: now)])
    }
    replay.rest()
}

/// The reports of each character, made once.
private let typing: [[[UInt8]]] = {
    let typing = KeyTyping()
    return (UInt8(0)..<0x80).map { typing.reports([$0]) ?? [] }
}()

private func typed(_ bytes: [UInt8], _ replay: inout KeyReplay) {
    var now = Duration.zero
    var isLost = false
    func send(_ content: KeyInput.Content) {
        let before = replay.signals.count
        now += .milliseconds(4)
        replay.take([KeyInput(content, at: now)])
        for case .swiped(let swipe) in replay.signals[before...] {
            precondition(!isLost || swipe.tracks.isEmpty, "something was read behind a loss")
        }
    }
    for byte in bytes {
        if byte < 0x80 {
            for report in typing[Int(byte)] { send(.report(report)) }
            continue
        }
        switch byte & 0x0F {
        case 0...3:
            send(.lost)
            isLost = true
        case 4...7:
            replay.rest()
            now += .seconds(11)
            isLost = false
        case 8: send(.report([0, 0, byte, 0, 0, 0, 0, 0]))
        case 9: send(.report([byte, 0, 0x1E, 0, 0, 0, 0, 0]))
        case 10: send(.report(Array(repeating: byte, count: Int(byte & 0x70) >> 4)))
        case 11: send(.keys([KeyChange(UInt16(byte), .down)]))
        case 12: send(.keys([KeyChange(UInt16(byte & 0x7F), .up)]))
        default: send(.keys([KeyChange(30, .repeated)]))
        }
    }
    replay.rest()
}
