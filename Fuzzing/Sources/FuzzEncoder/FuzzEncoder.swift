import CardData
import MSRReaders
import ReaderKit

/// The dialogue with encoders, in reports and on a line; every byte that leaves is held against the list of what may.
///
///     first byte   bit 0: a line, else reports · bit 1: texts, else bits · bit 2: recorded, else asked
///     the rest     pieces: a length byte and so many bytes; 0 a pause, 255 a loss, 254 a command that failed
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncoder(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let device = DeviceIdentity(
        readerID: "fuzz", bus: .usb, vendorID: 0x0801, productID: 0x0003, node: "/dev/null",
        isSimulated: choice & 4 != 0)
    var options = ReaderOptions()
    options.encoderReading = choice & 2 == 0 ? .raw : .iso
    if choice & 1 == 0 {
        drive(MSR605XDriver(device, options: options), rest) { HIDReport(bytes: $0) }
    } else {
        drive(MSRLineDriver(device, options: options), rest) { SerialBytes($0) }
    }
    return 0
}

private func drive<Driver: ReaderDriver>(
    _ driver: Driver, _ input: [UInt8], _ wrap: ([UInt8]) -> Driver.Input
) {
    var driver = driver
    check(driver.start())
    var rest = input[...]
    while let length = rest.popFirst() {
        switch length {
        case 0: check(driver.timerFired())
        case 255: check(driver.inputsLost())
        case 254: check(driver.commandFailed(.timedOut))
        default:
            check(driver.receive(wrap(Array(rest.prefix(Int(length))))))
            rest = rest.dropFirst(Int(length))
        }
    }
    check(driver.timerFired())
}

/// From the MSR606's manual, and not from the driver: the letters behind ESC that read, ask or light.
private let harmless: Set<UInt8> = [
    0x61, 0x65, 0x72, 0x6D, 0x74, 0x76, 0x64, 0x6C, 0x6F, 0x81, 0x83, 0x84, 0x85,
]

private func check(_ actions: [DriverAction]) {
    for action in actions {
        switch action {
        case .command(.write(let bytes)): checkCommand(bytes)
        case .command(.output(let report, _)), .command(.setFeature(let report, _)):
            checkCommand(Array(report.dropFirst().prefix(Int((report.first ?? 0) & 0x3F))))
        case .signal(.swiped(let swipe)): for track in swipe.tracks { _ = track.masked }
        case .command, .startTimer, .stopTimer, .signal: break
        }
    }
}

private func checkCommand(_ bytes: [UInt8]) {
    precondition(bytes.count == 2 || bytes.count == 5, "a command of another length")
    precondition(bytes[0] == 0x1B && harmless.contains(bytes[1]), "a command that may not leave")
    precondition((bytes.count == 5) == (bytes[1] == 0x6F), "a command with more behind it")
}
