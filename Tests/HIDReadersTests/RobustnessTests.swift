import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Broken input: a named refusal or an honest swipe, never a trap, never half a card.
@Suite struct RobustnessTests {

    /// Beginnings that say all of a swipe by themselves: the report of an older firmware, a packet without the report's
    /// padding, the short form of a level 2 stream, and a stream whose settable last field is shorter.
    private static func isWhole(_ length: Int, _ path: String, _ bytes: [UInt8]) throws -> Bool {
        if path.contains("MagTek/"), path.hasSuffix(".hex") { return [856, 887].contains(length) }
        if path.contains("hid509") {
            let packet = try #require(bytes.firstIndex(of: IDTechFrame.start))
            return try length >= IDTechFrame.binary(bytes, at: packet).endIndex
        }
        guard path.contains("stream") else { return false }
        let separators = bytes.indices.filter { bytes[$0] == MagTekStream.defaultSeparator }
        return try length <= #require(separators.first) || length > #require(separators.last)
    }

    @Test(arguments: HostileBytes.vectors) func everyCutIsRefused(path: String) throws {
        let bytes = try HostileBytes.bytes(path)
        let whole = HostileBytes.cards(bytes)
        #expect(whole.count == 1)
        for length in bytes.indices {
            let cards = HostileBytes.cards(Array(bytes.prefix(length)))
            if try Self.isWhole(length, path, bytes) {
                #expect(cards.allSatisfy { HostileBytes.agrees($0, whole) }, "\(length) bytes")
            } else {
                #expect(cards.isEmpty, "\(length) bytes")
            }
        }
    }

    /// A driver knows how long its reader's reports are: a cut one gives nothing at all.
    @Test(arguments: HostileBytes.vectors.filter { $0.contains("_hid") }) func noDriverTakesACutReport(
        path: String
    ) throws {
        let bytes = try HostileBytes.bytes(path)
        for length in bytes.indices where ![337, 856, 887].contains(length) {
            let report = HIDReport(bytes: Array(bytes.prefix(length)))
            let actions: [DriverAction]
            if path.contains("IDTech/") {
                var driver = IDTechDrivers.driver()
                actions = driver.receive(report)
            } else if path.contains("sureswipe") {
                var driver = MagTekReports.sureSwipe()
                actions = driver.receive(report)
            } else {
                var driver = MagTekReports.magneSafe()
                actions = driver.receive(report)
            }
            guard case .signal(.notice(.malformed))? = actions.first, actions.count == 1 else {
                Issue.record("\(length) bytes")
                continue
            }
        }
    }

    @Test(arguments: HostileBytes.vectors) func whatStandsBehindIsRefused(path: String) throws {
        let bytes = try HostileBytes.bytes(path)
        for extra in [1, 2, 7, 64, 500] {
            let cards = HostileBytes.cards(bytes + Array(repeating: 0xA5, count: extra))
            #expect(cards.isEmpty, "\(extra) bytes more")
        }
    }

    /// Formats with a check sum, or with every track twice: no flipped bit goes unnoticed in what makes the card.
    @Test(arguments: [
        "IDTech/published/enhanced_kb_uat.txt", "IDTech/generated/enhanced_binary_sha1.hex",
        "IDTech/generated/unimag2_binary.hex", "MagTek/published/stream_level2_v5.txt",
        "MagTek/published/stream_level2_custom.txt", "MagTek/published/v5_hid856_level2.hex",
    ])
    func noFlippedBitMakesAnotherCard(path: String) throws {
        let bytes = try HostileBytes.bytes(path)
        let whole = HostileBytes.cards(bytes)
        for place in bytes.indices {
            for bit in 0..<8 {
                var broken = bytes
                broken[place] ^= 1 << bit
                #expect(
                    HostileBytes.cards(broken).allSatisfy { HostileBytes.agrees($0, whole) },
                    "byte \(place), bit \(bit)")
            }
        }
    }

    /// A report whose tracks are encrypted: whichever bit is flipped, what the reader covered is never taken for digits.
    @Test func noFlippedBitUncoversANumber() throws {
        let bytes = try HostileBytes.bytes("MagTek/generated/v5_hid887_datavariant.hex")
        for place in bytes.indices {
            for bit in 0..<8 {
                var broken = bytes
                broken[place] ^= 1 << bit
                for case .payment(let card) in HostileBytes.cards(broken) {
                    let covered = card.pan.masked.dropFirst(4).dropLast(4)
                    #expect(card.pan.isCoveredByReader, "byte \(place), bit \(bit)")
                    #expect(covered.allSatisfy { $0 == "*" }, "byte \(place), bit \(bit)")
                }
            }
        }
    }

    @Test(arguments: [UInt64](0..<8)) func noiseNeverMakesACard(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        let lengths = [0, 1, 8, 64, 337, 338, 509, 512, 856, 887, 931, 932, 4096]
        for _ in 0..<300 {
            let length = lengths.randomElement(using: &random) ?? 0
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(HostileBytes.cards(bytes).isEmpty)
            var driver = MagTekReports.magneSafe()
            _ = driver.start()
            _ = driver.receive(HIDReport(kind: .feature, bytes: bytes))
            _ = driver.receive(HIDReport(bytes: bytes))
        }
    }

    @Test(arguments: [UInt64](0..<8)) func mutatedVectorsNeverTrap(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &+ 100)
        for path in HostileBytes.vectors {
            let bytes = try HostileBytes.bytes(path)
            for _ in 0..<300 {
                var broken = bytes
                for _ in 0..<Int.random(in: 1...16, using: &random) {
                    let place = Int.random(in: 0..<broken.count, using: &random)
                    broken[place] = [0, 1, 0x3F, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                }
                _ = FoundCaptures.read(broken)
                _ = FoundCaptures.read(broken, [.magneSafe, .sureSwipe, .idTechReport])
            }
        }
    }

    @Test(arguments: [UInt64](0..<4)) func descriptorsNeverTrap(seed: UInt64) {
        var random = SeededGenerator(state: seed &+ 200)
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...96, using: &random)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            guard let descriptor = try? ReportDescriptor(bytes) else { continue }
            for field in descriptor.fields { _ = field.byteRange }
            #expect(
                descriptor.longestByteLength(.input) ?? 0 <= ReportDescriptor.maximumReportBytes)
            _ = MagTekLayout(descriptor, reportID: 0)
        }
    }

    @Test(arguments: [UInt64](0..<4)) func trackTextsNeverTrap(seed: UInt64) {
        var random = SeededGenerator(state: seed &+ 300)
        let alphabet = Array("%;?^=+#$*0123456789ABCZ/ .".utf8) + [0x7F, 0x00, 0xFF]
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...60, using: &random)
            let text = (0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let track = Int.random(in: 0...4, using: &random)
            let clear = TrackReading(track: track, outcome: .read(SensitiveText(utf8: text)))
            let covered = TrackReading(
                track: track, outcome: .encrypted(masked: ReaderCover.checked(text, track: track)))
            _ = Card.recognise([clear, covered])
            #expect(
                clear.masked?.utf8.count == String(decoding: text, as: UTF8.self).utf8.count
                    || text.contains(0xFF))
        }
    }
}
