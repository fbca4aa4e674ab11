import ReaderKit
import ReaderTesting
import Testing
import WaveformSynthesis

@testable import MSRReaders

/// What an encoder is told can change no card: every byte that ever leaves is one of the reading commands of the manual.
@Suite struct NeverSentTests {
    /// From the MSR606's manual, independent of the driver's list: what may be sent, with its arguments.
    static let allowed: Set<[UInt8]> = [
        [0x1B, 0x61], [0x1B, 0x65], [0x1B, 0x72], [0x1B, 0x6D], [0x1B, 0x74], [0x1B, 0x76], [0x1B, 0x64],
        [0x1B, 0x6C], [0x1B, 0x81], [0x1B, 0x83], [0x1B, 0x84], [0x1B, 0x85], [0x1B, 0x6F, 8, 8, 8],
        [0x1B, 0x6F, 7, 5, 5],
    ]
    /// Write, raw write, erase, coercivity (two), leading zeros, density.
    static let harmful: Set<UInt8> = [0x77, 0x6E, 0x63, 0x78, 0x79, 0x7A, 0x62]

    @Test func theListIsClosed() {
        #expect(Set(MSRCommand.allCases.map(\.bytes)) == Self.allowed)
        for command in MSRCommand.allCases { #expect(!Self.harmful.contains(command.bytes[1])) }
    }

    /// A report holds a command and zeros: nothing of what came before.
    @Test(arguments: MSRCommand.allCases) func aReportHoldsTheCommandAlone(command: MSRCommand) {
        let report = MSRReport.report(command)
        #expect(report.count == 64)
        #expect(report[0] == 0xC0 | UInt8(command.bytes.count))
        #expect(Array(report[1...].prefix(command.bytes.count)) == command.bytes)
        #expect(report[(1 + command.bytes.count)...].allSatisfy { $0 == 0 })
    }

    private static func violations(_ sent: [[UInt8]]) -> [[UInt8]] { sent.filter { !allowed.contains($0) } }

    /// How an encoder may be asked, and how commands reach it.
    struct Way: Sendable, CustomTestStringConvertible {
        let reading: EncoderReading
        let takesFeatures: Bool
        static let all = [EncoderReading.raw, .iso].flatMap { reading in
            [false, true].map { Way(reading: reading, takesFeatures: $0) }
        }
        var testDescription: String { "\(reading), \(takesFeatures ? "feature" : "output") reports" }
    }

    /// Random bytes, answers, cards, failures, losses, timers and clients' requests, from any state into any other.
    private static func torment<Link: EncoderLink>(_ link: Link.Type, _ way: Way, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var options = ReaderOptions()
        options.encoderReading = way.reading
        var bench = EncoderBench<Link>(
            options: options,
            reportDescriptor: way.takesFeatures ? EncoderDescriptor.featureOnly : EncoderDescriptor.bytes,
            isMute: .random(using: &random))
        bench.start()
        let words: [[UInt8]] = [
            [0x1B, 0x79], [0x1B, 0x73], [0x1B, 0x30], [0x1B, 0x34], [0x1B, 0x31], [0x3F, 0x1C, 0x1B, 0x30],
            [0x1B, 0x77], [0x1B, 0x01], [0x1B, 0x02], [0x1B, 0x03],
        ]
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: bench.hear((0..<9).map { _ in UInt8.random(in: 0...255, using: &random) })
            case 1: bench.hear(words.randomElement(using: &random) ?? [])
            case 2: bench.perform(bench.driver.commandFailed(.timedOut))
            case 3: bench.perform(bench.driver.inputsLost())
            case 4: bench.encoder.isMute.toggle()
            case 5: bench.swipe(try EncodedCard(Cards.all))
            case 6: bench.perform(bench.driver.request(requests.randomElement(using: &random) ?? .activate).1)
            case 7: bench.perform(bench.driver.property(anyProperty(&random)))
            default: bench.fireTimer()
            }
        }
        #expect(violations(bench.sent).isEmpty)
        #expect(bench.sent.count > 10)
        #expect(bench.encoder.harm.isEmpty && bench.encoder.unknown.isEmpty)
        if Link.self == ReportLink.self {
            #expect(bench.routes == [way.takesFeatures ? "feature" : "output"])
        }
    }

    private static let requests: [ReaderRequest] = [
        .activate, .deactivate, .cancelActivation, .cancelSwipe, .testCommunication, .testCommunication,
    ]

    /// Reads and writes, of what an encoder has and of what its writing commands would set.
    private static func anyProperty(_ random: inout SeededRandom) -> PropertyRequest {
        let names = MSRProperty.allCases.map(\.rawValue) + ["density", "write"]
        return PropertyRequest(
            token: 1, name: names.randomElement(using: &random) ?? "",
            newValue: .random(using: &random) ? .text("high") : nil)
    }

    @Test(arguments: 1...40, Way.all) func inEveryState(seed: UInt64, way: Way) throws {
        try Self.torment(ReportLink.self, way, seed: seed)
        try Self.torment(WireLink.self, way, seed: seed)
    }

    @Test func theLastWordsAreOnTheList() {
        let device = DeviceIdentity(readerID: "encoder", bus: .usb, node: "/dev/hidraw0")
        let reports = MSR605XDriver.lastWords(for: device).compactMap { ReportLink().outgoing($0) }
        let bytes = MSRLineDriver.lastWords(for: device).compactMap { WireLink().outgoing($0) }
        #expect(reports == bytes)
        #expect(bytes.first == [0x1B, 0x61])
        #expect(Self.violations(bytes).isEmpty)
    }
}
