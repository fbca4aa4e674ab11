import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import MSRReaders

/// How an encoder's bytes reach its driver.
protocol EncoderLink<Driver>: Sendable {
    associatedtype Driver: ReaderDriver
    init()
    /// The bytes that a command of the driver brings to the encoder; nil for what is none.
    func outgoing(_ command: TransportCommand) -> [UInt8]?
    /// An answer, cut into pieces of that many bytes where the link has no cuts of its own.
    func incoming(_ answer: [UInt8], pieces: Int) -> [Driver.Input]
}

/// MSR605X: reports of 64 bytes.
struct ReportLink: EncoderLink {
    typealias Driver = MSR605XDriver
    func outgoing(_ command: TransportCommand) -> [UInt8]? {
        switch command {
        case .output(let report, id: 0), .setFeature(let report, id: 0): EncoderReports.payload(of: report)
        case .output, .setFeature, .feature, .getFeature, .write, .sound: nil
        }
    }
    func incoming(_ answer: [UInt8], pieces: Int) -> [HIDReport] {
        EncoderReports.reports(of: answer).map { HIDReport(bytes: $0) }
    }
}

/// MSR206, 605, 606: a line.
struct WireLink: EncoderLink {
    typealias Driver = MSRLineDriver
    func outgoing(_ command: TransportCommand) -> [UInt8]? {
        if case .write(let bytes) = command { bytes } else { nil }
    }
    func incoming(_ answer: [UInt8], pieces: Int) -> [SerialBytes] {
        stride(from: 0, to: answer.count, by: max(pieces, 1)).map {
            SerialBytes(Array(answer[$0...].prefix(max(pieces, 1))))
        }
    }
}

/// A driver and a simulated encoder, with a time of their own: it goes on where a test says so, and no answer takes any but by habit.
struct EncoderBench<Link: EncoderLink> {
    var driver: Link.Driver
    var encoder: EncoderSimulator
    /// Everything that clients would hear of.
    var signals: [ReaderSignal] = []
    /// Everything that left for the encoder, command by command.
    var sent: [[UInt8]] = []
    /// As which reports commands left.
    var routes: Set<String> = []
    var isTimerRunning: Bool { timer != nil }
    /// When the driver's timer runs out, and for how long it was set.
    private(set) var timer: (due: Duration, length: Duration)?
    private var now = Duration.zero
    private var answers: [(due: Duration, bytes: [UInt8])] = []
    var pieces = 1 << 20
    private let link = Link()
    /// Answers that the driver has not heard: whatever it does at once, it does before it hears more.
    private var unheard: [[UInt8]] = []
    private var isBusy = false

    init(
        _ habits: EncoderSimulator.Habits = .init(), options: ReaderOptions = ReaderOptions(),
        reportDescriptor: [UInt8] = EncoderDescriptor.bytes, isMute: Bool = false
    ) {
        let device = DeviceIdentity(
            readerID: "encoder", bus: .usb, vendorID: 0x0801, productID: 0x0003, product: "MSR605X",
            node: "/dev/hidraw0", reportDescriptor: reportDescriptor)
        driver = Link.Driver(device, options: options)
        encoder = EncoderSimulator(habits)
        encoder.isMute = isMute
    }

    mutating func start() { perform(driver.start()) }

    mutating func fireTimer() {
        guard let due = timer?.due else { return }
        now = max(now, due)
        timer = nil
        perform(driver.timerFired())
    }

    /// Time goes on: answers come and timers run out, in their order.
    mutating func run(_ duration: Duration) {
        let end = now + duration
        while true {
            let answer = answers.first?.due ?? .seconds(1 << 40)
            guard min(answer, timer?.due ?? answer) <= end else { break }
            if let due = timer?.due, due < answer {
                fireTimer()
            } else {
                now = max(now, answer)
                hear(answers.removeFirst().bytes)
            }
        }
        now = end
    }

    /// Bytes from the encoder, or from whatever is there.
    mutating func hear(_ bytes: [UInt8]) {
        for input in link.incoming(bytes, pieces: pieces) where !bytes.isEmpty {
            perform(driver.receive(input))
        }
    }

    /// An answer byte by byte, or report by report.
    func inputs(of answer: [UInt8]) -> [Link.Driver.Input] { link.incoming(answer, pieces: 1) }

    /// An answer that pauses before one of its inputs.
    mutating func hear(_ answer: [UInt8], cutBefore place: Int, for gap: Duration) {
        for (index, input) in inputs(of: answer).enumerated() {
            if index == place { run(gap) }
            perform(driver.receive(input))
        }
    }

    /// A card passes; whatever the driver cannot tell the end of, a pause ends.
    mutating func swipe(_ card: EncodedCard) {
        run(MSRDialogue.settling * 2)
        hear(encoder.swipe(card.stripes))
        if swipes.isEmpty { fireTimer() }
    }

    mutating func perform(_ actions: [DriverAction]) {
        for action in actions {
            switch action {
            case .signal(let signal): signals.append(signal)
            case .startTimer(let length): timer = (now + length, length)
            case .stopTimer: timer = nil
            case .command(let command):
                guard let bytes = link.outgoing(command) else {
                    Issue.record("a command of another form left: \(command)")
                    continue
                }
                sent.append(bytes)
                if case .setFeature = command { routes.insert("feature") } else { routes.insert("output") }
                let answer = encoder.receive(bytes)
                if encoder.habits.answersAfter == .zero {
                    unheard.append(answer)
                } else if !answer.isEmpty {
                    answers.append((now + encoder.habits.answersAfter, answer))
                }
            }
        }
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        while !unheard.isEmpty { hear(unheard.removeFirst()) }
    }

    var swipes: [Swipe] {
        signals.compactMap { if case .swiped(let swipe) = $0 { swipe } else { nil } }
    }

    var complaints: [String] {
        signals.compactMap { if case .notice(.malformed(let what)) = $0 { what } else { nil } }
    }

    /// Forgets what was heard so far.
    mutating func takeSwipes() -> [Swipe] {
        defer { signals = [] }
        return swipes
    }
}

/// ASSUMPTION: no report descriptor of an MSR605X is public; 64 bytes in, 64 out, without ids.
enum EncoderDescriptor {
    static let bytes: [UInt8] = [
        0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40, 0x09,
        0x01,
        0x81, 0x02, 0x95, 0x40, 0x09, 0x01, 0x91, 0x02, 0xC0,
    ]
    static let featureOnly: [UInt8] = [
        0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40, 0x09,
        0x01,
        0x81, 0x02, 0x95, 0x40, 0x09, 0x01, 0xB1, 0x02, 0xC0,
    ]
}

enum Cards {
    static let track1 = "%B4111111111111111^DOE/JANE^29121010000000000000?"
    static let track2 = ";4111111111111111=29121010000000000?"
    static let track3 = ";011234567890123445=724724100000000000030300000040400099010=?"
    static let all: [String?] = [track1, track2, track3]
}

extension TrackOutcome {
    var clear: String? { TrackReading(track: 1, outcome: self).text?.reveal() }
}
