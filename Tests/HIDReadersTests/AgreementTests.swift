import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// A report says the same to a driver and to `swipectl decode --hid`.
@Suite struct AgreementTests {
    private struct Heard: Equatable {
        var swipes: [Swipe]
        var complaints: [String]
    }

    private static func driver(_ report: [UInt8]) -> Heard {
        var actions: [DriverAction]
        switch report.count {
        case 337, 338:
            var driver = MagTekReports.sureSwipe(productID: report.count == 337 ? 0x0002 : 0x0003)
            actions = driver.receive(HIDReport(bytes: report))
        case 509, 512:
            var driver = IDTechDrivers.driver()
            actions = driver.receive(HIDReport(bytes: report))
        default:
            var driver = MagTekReports.magneSafe()
            actions = driver.receive(HIDReport(bytes: report))
        }
        let complaints = actions.compactMap { action -> String? in
            if case .signal(.notice(.malformed(let what))) = action { what } else { nil }
        }
        return Heard(swipes: MagTekReports.swipes(actions), complaints: complaints)
    }

    private static func capture(_ report: [UInt8], _ model: HIDCapture.Model) -> Heard {
        var heard = Heard(swipes: [], complaints: [])
        for outcome in HIDCapture.outcomes(in: report, models: [model]) {
            switch outcome {
            case .success(let found): heard.swipes.append(found.swipe)
            case .failure(.malformed(_, let what)): heard.complaints.append(what)
            case .failure(let refusal): heard.complaints.append(refusal.sentence)
            }
        }
        return heard
    }

    private static func padded(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes + Array(repeating: 0, count: count - bytes.count)
    }

    /// All tracks bad, blank, with bits that no document names, and text that is no track.
    @Test(arguments: [509, 512])
    func idTechHeaders(size: Int) {
        let track = Array(";5452300551227189=080432100000007250?".utf8)
        for status in [[1, 1, 1], [1, 0, 1], [0, 0, 0], [2, 0, 0], [3, 1, 1], [0xFF, 0, 1]] as [[UInt8]] {
            for text in [[], track, Array("hello".utf8), Array(";54523".utf8)] {
                let report = Self.padded(status + [0, 0, 0, 0, 0, 0] + text, size)
                let heard = Self.driver(report)
                #expect(heard == Self.capture(report, .idTechReport), "\(status) \(text.count)")
                #expect(heard.swipes.count + heard.complaints.count == 1)
            }
        }
        let allBad = Self.padded([1, 1, 1], size)
        #expect(
            Self.driver(allBad).swipes.first?.tracks.map(\.outcome)
                == Array(repeating: .refused(.malformed), count: 3))
        // Nobody has to name the model of it.
        #expect(FoundCaptures.found(allBad).map(\.model) == [.idTechReport])
    }

    /// What an earlier and longer packet left behind the present one.
    @Test func idTechLeftovers() throws {
        var report = try Vector("IDTech/assumed/hid509_enhanced.hex").bytes()
        report[508] = 0xA5
        #expect(Self.driver(report).swipes.count == 1)
        #expect(Self.driver(report).swipes == Self.capture(report, .idTechReport).swipes)
    }

    @Test(
        arguments: [
            ("MagTek/published/v5_hid856_level2.hex", HIDCapture.Model.magneSafe, 343),
            ("MagTek/generated/v5_hid887_datavariant.hex", .magneSafe, 343),
            ("MagTek/generated/sureswipe_hid337.hex", .sureSwipe, 0),
            ("MagTek/generated/sureswipe_hid337_allbad.hex", .sureSwipe, 0),
        ])
    func magTekStatusBytes(path: String, model: HIDCapture.Model, cardStatus: Int) throws {
        let right = try Vector(path).bytes()
        for place in [0, 1, 2, cardStatus] {
            for value in [1, 2, 3, 0x80, 0xFF] as [UInt8] {
                var report = right
                report[place] = value
                let heard = Self.driver(report)
                #expect(heard == Self.capture(report, model), "byte \(place) \(value)")
                #expect(heard.swipes.count + heard.complaints.count == 1)
            }
        }
    }

    /// A bit that no document names refuses its track; the others are read.
    @Test func anUnknownStatusTakesNoGoodTrackWithIt() throws {
        var report = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        report[0] = 2
        let swipe = try #require(FoundCaptures.found(report).first).swipe
        #expect(swipe.tracks[0].outcome == .refused(.malformed))
        #expect(MagTekReports.clearTexts(swipe)[1...] == MagTekReports.tracks[1...])
    }

    /// Noise of a report's size, whatever a transport or a file makes of it.
    @Test(arguments: [337, 338, 509, 512, 856, 887, 931]) func noise(size: Int) {
        var random = SeededGenerator(state: UInt64(size))
        for _ in 0..<200 {
            let report = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Self.driver(report).swipes.isEmpty)
            #expect(FoundCaptures.found(report).isEmpty)
        }
    }
}
