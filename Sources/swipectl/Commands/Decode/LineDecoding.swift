import ArgumentParser
import HIDReaders
import ReaderCatalog
import ReaderKit

/// `swipectl decode --serial TYPE`: recorded bytes of a serial line, or reports of an encoder, through the very driver that the
/// daemon uses.
struct LineDecoding {
    /// More than any session of bug hunting.
    private static let maximumBytes = 1 << 20
    /// The encoder whose answers come in reports: it has no line, and is recorded all the same.
    private static let encoder = (name: "msr605x", vendorID: UInt16(0x0801), productID: UInt16(0x0003))
    private static let reportBytes = 64
    /// Types that answer with bits or with texts.
    private static let encoders = [encoder.name, "msr-line"]

    var json: Bool
    var reveals: Bool
    var type: String
    var options: ReaderOptions

    /// What `--serial` takes.
    static var types: [String] { ReaderCatalog.serial.map { $0.descriptor.name } + [encoder.name] }

    func run(_ files: [String]) throws {
        var (swipes, failures) = (0, 0)
        for file in files {
            do {
                let signals = try heard(
                    SoundFile.capture(file, limit: Self.maximumBytes, option: "--serial"))
                let printed = try show(signals, HIDSwipeLines(file: file, reveals: reveals), after: swipes)
                (swipes, failures) = (swipes + printed.swipes, failures + printed.failures)
                if printed == (0, 0) { Output.complain("\(file): no swipe found") }
            } catch let failure as OutputFailure {
                throw failure
            } catch {
                failures += 1
                Output.complain("\(file): \(error)")
            }
        }
        if failures > 0 { throw ExitCode(ExitStatus.failure.rawValue) }
        if swipes == 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    private func show(
        _ signals: [ReaderSignal], _ lines: HIDSwipeLines, after count: Int
    ) throws(OutputFailure) -> (swipes: Int, failures: Int) {
        var (swipes, failures) = (0, 0)
        var complaints = Complaints()
        for signal in signals {
            if case .swiped(let swipe) = signal {
                try Output.result(
                    json
                        ? lines.json(swipe, model: type, serial: nil, count + swipes)
                        : lines.plain(swipe, count + swipes))
                swipes += 1
            }
            if case .notice(.malformed(let what)) = signal {
                failures += 1
                complaints.add(what)
            }
        }
        complaints.tell(of: lines.file)
        return (swipes, failures)
    }

    /// Whether these are reports of an encoder, with swipes in them.
    static func isOfEncoder(_ recording: [UInt8]) -> Bool {
        // The driver reads on behind what is no answer, and finds one in anything that is long enough.
        guard areFramed(hexLines(recording) ?? pieces(recording)) else { return false }
        let decoding = LineDecoding(json: false, reveals: false, type: encoder.name, options: ReaderOptions())
        return ((try? decoding.heard(recording)) ?? []).contains(where: isSwipe)
    }

    /// Whether each report continues the one before it, or begins where that one ended:
    ///
    ///     HH DD … DD      H: 80 first · 40 last of an answer · the other six bits count the D
    private static func areFramed(_ reports: [[UInt8]]) -> Bool {
        var isWithin = false
        for report in reports {
            guard let head = report.first, (head & 0x80 != 0) != isWithin, Int(head & 0x3F) < report.count
            else { return false }
            isWithin = head & 0x40 == 0
        }
        return !reports.isEmpty
    }

    /// What its driver says of a recording. That of an encoder does not say whether bits were asked for or texts: what gives more
    /// swipes and fewer complaints is right.
    private func heard(_ recording: [UInt8]) throws(SoundError) -> [ReaderSignal] {
        guard recording.count <= Self.maximumBytes else { throw SoundError("larger than 1 MiB") }
        let bits = signals(in: recording, options)
        guard Self.encoders.contains(type) else { return bits }
        var textOptions = options
        textOptions.encoderReading = .iso
        let texts = signals(in: recording, textOptions)
        return Self.worth(texts) > Self.worth(bits) ? texts : bits
    }

    private static func isSwipe(_ signal: ReaderSignal) -> Bool {
        if case .swiped = signal { true } else { false }
    }

    private static func worth(_ signals: [ReaderSignal]) -> Int {
        signals.reduce(0) { worth, signal in
            switch signal {
            case .swiped: worth + 1
            case .notice(.malformed): worth - 1
            case _: worth
            }
        }
    }

    private func signals(in recording: [UInt8], _ options: ReaderOptions) -> [ReaderSignal] {
        if let (driver, _) = ReaderCatalog.serialReader(type: type) {
            // Text is recorded as it is; frames may be written down as hex.
            let pieces =
                type == "text-line" ? [recording] : Self.hexLines(recording) ?? Self.pieces(recording)
            return signals(driver, bus: .serial, pieces.map { SerialBytes($0) }, options)
        }
        let reports = Self.hexLines(recording) ?? Self.pieces(recording)
        let device = Self.device(.usb)
        guard case .reader(let driver, _) = ReaderCatalog.verdict(on: device) else { return [] }
        return signals(driver, bus: .usb, reports.map { HIDReport(bytes: $0) }, options)
    }

    /// Reports are as long, and a line brings no more at once.
    private static func pieces(_ recording: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: recording.count, by: reportBytes).map {
            Array(recording[$0...].prefix(reportBytes))
        }
    }

    private func signals<Driver: ReaderDriver>(
        _ driver: Driver.Type, bus: DeviceIdentity.Bus, _ inputs: [Driver.Input], _ options: ReaderOptions
    ) -> [ReaderSignal] {
        var reader = Driver(Self.device(bus), options: options)
        var actions = reader.start()
        for input in inputs { actions += reader.receive(input) }
        actions += reader.timerFired()
        return actions.compactMap { if case .signal(let signal) = $0 { signal } else { nil } }
    }

    /// A recording cannot be asked anything.
    private static func device(_ bus: DeviceIdentity.Bus) -> DeviceIdentity {
        DeviceIdentity(
            readerID: "recording", bus: bus, vendorID: encoder.vendorID, productID: encoder.productID,
            node: "",
            isSimulated: true)
    }

    /// The bytes of each line of hex, or of each report of a recording of hid-recorder (`E: time length bytes`); nil for anything
    /// else. `#` begins a comment.
    private static func hexLines(_ recording: [UInt8]) -> [[UInt8]]? {
        let lines = recording.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        let events = lines.filter { $0.starts(with: "E:".utf8) }.map { line in
            line.split(separator: 0x20).dropFirst(3).flatMap(\.self)
        }
        let texts = events.isEmpty ? lines.filter { $0.first != UInt8(ascii: "#") }.map(Array.init) : events
        let bytes = texts.map(hex)
        return bytes.isEmpty || bytes.contains(nil) ? nil : bytes.compactMap(\.self).filter { !$0.isEmpty }
    }

    private static func hex(_ text: [UInt8]) -> [UInt8]? {
        let digits = text.filter { $0 != 0x20 && $0 != 0x09 }
        guard digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16)
        }
        return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
    }
}
