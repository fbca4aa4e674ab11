import HIDReaders

/// ID TECH packets. The frame and its check bytes are put around the input here, since no fuzzer finds them.
///
///     first byte   bit 0: typed form
///     the rest     the card data
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPacket(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard let form = input.first, input.count < 0x1_0000 else { return 0 }
    let body = Array(input.dropFirst())
    let redundancy = body.reduce(0, ^)
    let sum = body.reduce(0, &+)
    let low = UInt8(truncatingIfNeeded: body.count)
    let high = UInt8(truncatingIfNeeded: body.count >> 8)
    if form & 1 == 0 {
        _ = HIDCapture.outcomes(
            in: [0x02, low, high] + body + [redundancy, sum, 0x03], models: [.idTechPacket])
    } else {
        let typed = hex([0x02, low, high]) + body + hex([redundancy, sum, 0x03])
        _ = HIDCapture.outcomes(in: typed, models: [.idTechKeyboard])
    }
    _ = HIDCapture.outcomes(in: body, models: [.idTechReport, .idTechPacket, .idTechKeyboard])
    return 0
}

private func hex(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
}
