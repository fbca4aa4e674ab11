import CardData
import ReaderKit
import SerialReaders

/// The frames of readers on a line, which are sent nothing.
///
///     first byte   bits 0-1: text, Spectrum III, MRS100 · bit 2: a frame's check bytes are put right
///     the rest     bytes of the line; 0xFF a pause
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSerial(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let isRight = choice & 4 != 0
    switch choice & 3 {
    case 0, 3: drive(TextLine.self, bytes)
    case 1: drive(SpectrumLine.self, isRight ? spectrum(bytes) : bytes)
    default: drive(MRS100Line.self, isRight ? mrs100(bytes) : bytes)
    }
    return 0
}

private func drive<Frames: SerialFrames>(_ frames: Frames.Type, _ bytes: [UInt8]) {
    let device = DeviceIdentity(readerID: "fuzz", bus: .serial, node: "/dev/null")
    var driver = SerialListener<Frames>(device)
    var actions = driver.start()
    for piece in bytes.split(separator: 0xFF, omittingEmptySubsequences: false) {
        actions += driver.receive(SerialBytes(Array(piece)))
        actions += driver.timerFired()
    }
    actions += driver.receive(SerialBytes(Array(bytes.suffix(40)))) + driver.inputsEnded()
    for action in actions {
        switch action {
        case .signal(.swiped(let swipe)): for track in swipe.tracks { _ = track.masked }
        case .command: preconditionFailure("a reader that is only listened to was sent something")
        case .signal, .startTimer, .stopTimer: break
        }
    }
}

private func spectrum(_ data: [UInt8]) -> [UInt8] {
    let data = data.prefix(259)
    let body = [0x60, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    return body + [body.reduce(0, ^), 0x03]
}

private func mrs100(_ data: [UInt8]) -> [UInt8] {
    let body = Array("30Y".utf8) + data.prefix(250)
    let inner = [UInt8(body.count)] + body
    return [0x02] + inner + [0x03, inner.reduce(0, ^) ^ 0x03]
}
