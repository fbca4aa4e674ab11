import CardData
import ReaderKit
import ReaderTesting
import SerialReaders
import Testing

@testable import MSRReaders

/// Recorded answers, made by hand and by neither driver nor simulator, through the drivers.
@Suite struct VectorTests {
    private static func swipe<Driver: ReaderDriver>(
        _ driver: Driver.Type, _ inputs: [Driver.Input], _ options: ReaderOptions = ReaderOptions()
    ) -> (Swipe?, Driver) {
        let device = DeviceIdentity(
            readerID: "recording", bus: .usb, vendorID: 0x0801, productID: 0x0003, node: "", isSimulated: true
        )
        var reader = Driver(device, options: options)
        var actions = reader.start()
        for input in inputs { actions += reader.receive(input) }
        actions += reader.timerFired()
        for case .signal(.swiped(let swipe)) in actions { return (swipe, reader) }
        return (nil, reader)
    }

    private static func reports(_ path: String) throws -> [HIDReport] {
        try Vector(path).lines.map { line in
            HIDReport(bytes: try #require(Hex.bytes(line)))
        }
    }

    @Test(arguments: [("msr605x_raw", true), ("msr605x_raw_backward", false)]) func rawReports(
        name: String, isForward: Bool
    ) throws {
        let (swipe, _) = Self.swipe(MSR605XDriver.self, try Self.reports("MSR605/generated/\(name).hex"))
        #expect(swipe?.tracks.map(\.outcome.clear) == Cards.all)
        #expect(swipe?.quality.direction == (isForward ? .forward : .backward))
    }

    @Test func lengthsThatCountThemselves() throws {
        let reports = try Self.reports("MSR605/generated/msr605x_raw_counts_itself.hex")
        var (swipe, driver) = Self.swipe(MSR605XDriver.self, reports)
        #expect(swipe?.tracks.map(\.outcome.clear) == [Cards.track1, Cards.track2, nil])
        #expect(swipe?.tracks.last?.outcome == .empty)
        let asked = driver.property(PropertyRequest(token: 1, name: "variants"))
        let reply = PropertyReply(
            token: 1, name: "variants", outcome: .success(.text("countsItself emptyMark")))
        #expect(asked == [.signal(.property(reply))])
    }

    @Test func textReports() throws {
        var options = ReaderOptions()
        options.encoderReading = .iso
        let (swipe, _) = Self.swipe(
            MSR605XDriver.self, try Self.reports("MSR605/generated/msr605x_iso.hex"), options)
        #expect(swipe?.tracks.map(\.outcome.clear) == [nil, Cards.track2, nil])
        #expect(swipe?.tracks.map(\.outcome).first == .refused(.malformed))
        #expect(swipe?.tracks.map(\.outcome).last == .empty)
    }

    @Test func aRawLine() throws {
        let bytes = try Vector("MSR605/generated/msr605_raw_line.hex").bytes()
        let (swipe, _) = Self.swipe(MSRLineDriver.self, [SerialBytes(bytes)])
        #expect(swipe?.tracks.map(\.outcome.clear) == [Cards.track1, Cards.track2, nil])
    }

    @Test func frames() throws {
        let spectrum = try Vector("Lines/generated/spectrum3.hex").bytes()
        let mrs100 = try Vector("Lines/generated/mrs100.hex").bytes()
        for (swipe, _) in [
            Self.swipe(SerialListener<SpectrumLine>.self, [SerialBytes(spectrum)]).0,
            Self.swipe(SerialListener<MRS100Line>.self, [SerialBytes(mrs100)]).0,
        ].map({ ($0, 0) }) {
            #expect(swipe?.tracks.map(\.outcome.clear) == [Cards.track1, Cards.track2, nil])
        }
    }

    /// The streams that MagTek publishes, as a reader on a UART sends them.
    @Test(arguments: ["stream_level2_sureswipe", "stream_level2_v5", "stream_level3"]) func publishedStreams(
        name: String
    ) throws {
        let text = try Vector("MagTek/published/\(name).txt").lines.joined(separator: "\r") + "\r"
        let (swipe, _) = Self.swipe(SerialListener<TextLine>.self, [SerialBytes(Array(text.utf8))])
        #expect(swipe?.card != nil, "\(name)")
    }
}
