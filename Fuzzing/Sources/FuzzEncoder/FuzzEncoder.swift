import CardData
import MSRReaders
import ReaderKit

/// The dialogue with encoders, in reports and on a line; every byte that leaves is held against the list of what may.
///
///     first byte   bit 0: a line, else reports · bit 1: texts, else bits · bit 2: recorded, else asked ·
///                  bit 3: commands go out as feature reports, else as output reports
///     the rest     pieces: a length byte and so many bytes; 0 a pause, 255 a loss, 254 a command that failed,
///                  253 a client's test, 252 a client's other request, 251 a property that is read, 250 one that is set;
///                  which one, the next byte says
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncoder(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let device = DeviceIdentity(
        readerID: "fuzz", bus: .usb, vendorID: 0x0801, productID: 0x0003, node: "/dev/null",
        reportDescriptor: choice & 8 == 0 ? [] : featureOnly, isSimulated: choice & 4 != 0)
    var options = ReaderOptions()
    options.encoderReading = choice & 2 == 0 ? .raw : .iso
    if choice & 1 == 0 {
        drive(MSR605XDriver(device, options: options), device, rest) { HIDReport(bytes: $0) }
    } else {
        drive(MSRLineDriver(device, options: options), device, rest) { SerialBytes($0) }
    }
    return 0
}

/// 64 bytes in, and commands as feature reports alone.
private let featureOnly: [UInt8] = [
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40, 0x09,
    0x01,
    0x81, 0x02, 0x95, 0x40, 0x09, 0x01, 0xB1, 0x02, 0xC0,
]

private let requests: [ReaderRequest] = [.activate, .deactivate, .cancelActivation, .cancelSwipe]

/// What an encoder has, and what its writing commands would set.
private let properties = [
    "model_code", "firmware", "coercivity", "leading_zeros", "bits_per_byte", "variants", "density", "write",
]

private func drive<Driver: ReaderDriver>(
    _ driver: Driver, _ device: DeviceIdentity, _ input: [UInt8], _ wrap: ([UInt8]) -> Driver.Input
) {
    var driver = driver
    func check(_ actions: [DriverAction]) { checkActions(actions, isVirtual: device.isSimulated) }
    for word in Driver.lastWords(for: device) { checkCommand(word) }
    check(driver.start())
    var rest = input[...]
    while let length = rest.popFirst() {
        switch length {
        case 0: check(driver.timerFired())
        case 255: check(driver.inputsLost())
        case 254: check(driver.commandFailed(.timedOut))
        case 253: check(driver.request(.testCommunication).1)
        case 252: check(driver.request(requests[Int(rest.popFirst() ?? 0) % requests.count]).1)
        case 250, 251:
            let name = properties[Int(rest.popFirst() ?? 0) % properties.count]
            let request = PropertyRequest(token: 1, name: name, newValue: length == 250 ? .text("high") : nil)
            check(driver.property(request))
        default:
            check(driver.receive(wrap(Array(rest.prefix(Int(length))))))
            rest = rest.dropFirst(Int(length))
        }
    }
    check(driver.timerFired())
    for action in driver.inputsEnded() {
        guard case .signal(.swiped) = action else { preconditionFailure("more than cards at the end") }
    }
}

/// From the MSR606's manual, and not from the driver: all that may ever leave, with its arguments. It reads, asks or lights.
private let harmless: Set<[UInt8]> = [
    [0x1B, 0x61], [0x1B, 0x65], [0x1B, 0x72], [0x1B, 0x6D], [0x1B, 0x74], [0x1B, 0x76], [0x1B, 0x64],
    [0x1B, 0x6C], [0x1B, 0x81], [0x1B, 0x83], [0x1B, 0x84], [0x1B, 0x85], [0x1B, 0x6F, 8, 8, 8],
    [0x1B, 0x6F, 7, 5, 5],
]

private func checkActions(_ actions: [DriverAction], isVirtual: Bool) {
    for action in actions {
        switch action {
        case .command(let command):
            precondition(!isVirtual, "a command for a reader that takes none")
            checkCommand(command)
        case .signal(.swiped(let swipe)): for track in swipe.tracks { _ = track.masked }
        case .startTimer, .stopTimer, .signal: break
        }
    }
}

private func checkCommand(_ command: TransportCommand) {
    switch command {
    case .write(let bytes): precondition(harmless.contains(bytes), "a command that may not leave")
    case .output(let report, _), .setFeature(let report, _):
        let length = Int((report.first ?? 0) & 0x3F)
        let bytes = Array(report.dropFirst().prefix(length))
        precondition(report.count == 64 && harmless.contains(bytes), "a command that may not leave")
        precondition(report.dropFirst(1 + length).allSatisfy { $0 == 0 }, "something behind a command")
    case .feature, .getFeature, .sound: preconditionFailure("a command in another form")
    }
}
