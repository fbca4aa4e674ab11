import ReaderKit
import Testing

@testable import HIDReaders

/// Extended commands, fragment by fragment. ASSUMPTION: answers made up from the form that one source gives.
@Suite struct MagTekExtendedTests {
    /// A part of an answer with so many bytes, in a whole feature report.
    static func part(_ code: UInt8, offset: Int, total: Int, result: UInt8 = 0, _ data: [UInt8]) -> [UInt8] {
        let header = [
            code, UInt8(6 + data.count), UInt8(offset >> 8), UInt8(offset & 255), 0, result,
            UInt8(total >> 8),
            UInt8(total & 255),
        ]
        return header + data + Array(repeating: 0, count: 60 - 8 - data.count)
    }

    static func dialogue(_ bytes: Int = 0) -> MagTekExtendedDialogue {
        MagTekExtendedDialogue(MagTekExtendedCommand(number: 0x0300, data: Array(repeating: 7, count: bytes)))
    }

    @Test(arguments: [(0, [0]), (1, [1]), (51, [51]), (52, [51, 1]), (120, [51, 51, 18])])
    func longDataGoesInParts(bytes: Int, parts: [Int]) {
        let data = (0..<bytes).map { UInt8($0) }
        let fragments = MagTekExtendedCommand(number: 0x030C, data: data).fragments
        var offset = 0
        for (fragment, size) in zip(fragments, parts) {
            let header: [UInt8] = [
                0x49, UInt8(6 + size), 0, UInt8(offset), 0x03, 0x0C, 0, UInt8(bytes),
            ]
            #expect(fragment == header + data[offset..<(offset + size)])
            offset += size
        }
        #expect(fragments.count == parts.count)
    }

    @Test func theReaderAsksForTheNextPart() throws {
        var dialogue = Self.dialogue(60)
        let second = MagTekExtendedCommand(number: 0x0300, data: Array(repeating: 7, count: 60)).fragments[1]
        #expect(try dialogue.answered([0x0B, 0x00]) == .send(second))
        #expect(try dialogue.answered(Self.part(0, offset: 0, total: 0, [])) == .done([]))
    }

    @Test func aLongAnswerIsFetched() throws {
        var dialogue = Self.dialogue()
        let answer = (0..<120).map { UInt8($0) }
        #expect(
            try dialogue.answered(Self.part(0x0A, offset: 0, total: 120, Array(answer[..<51])))
                == .send([0x4A, 0]))
        #expect(
            try dialogue.answered(Self.part(0x0A, offset: 51, total: 120, Array(answer[51..<102])))
                == .send([0x4A, 0]))
        #expect(
            try dialogue.answered(Self.part(0x0A, offset: 102, total: 120, Array(answer[102...])))
                == .done(answer))
    }

    @Test func aBusyReaderIsAskedAgainAndNotForEver() throws {
        var dialogue = Self.dialogue()
        for _ in 0..<MagTekExtendedDialogue.maximumFetches {
            #expect(try dialogue.answered([0x0B, 0x00]) == .send([0x4A, 0]))
        }
        #expect(throws: MagTekResponse.Refusal.stillBusy) { try dialogue.answered([0x0B, 0x00]) }
    }

    @Test(
        arguments: [
            ([], .malformed), ([0x0A], .malformed), ([0x0A, 0x05, 0, 0, 0, 0, 0, 0], .malformed),
            ([0x0A, 0x40] + Array(repeating: 0, count: 58), .malformed),
            ([0x02, 0x00], .result(.badParameter)),
            ([0x07, 0x00], .result(.invalidOperation)), (part(0x0A, offset: 1, total: 9, [1]), .malformed),
            (part(0x0A, offset: 0, total: 1, [1, 2]), .malformed),
            (part(0x0A, offset: 0, total: 0xFFFF, [1]), .malformed),
            (part(0x00, offset: 0, total: 0, result: 0x81, []), .extended(0x81)),
        ] as [([UInt8], MagTekResponse.Refusal)])
    func refusals(answer: [UInt8], refusal: MagTekResponse.Refusal) {
        var dialogue = Self.dialogue()
        #expect(throws: refusal) { try dialogue.answered(answer) }
    }

    /// The bytes that the maker's web client sends for the same time.
    @Test func theClockIsSet() throws {
        var driver = try MagTekReplies.introduced()
        let request = PropertyRequest(token: 9, name: "clock", newValue: .text("2026-01-31 09:30:00"))
        let expected = try PublishedVectors.bytes(
            "491E0000030C0018" + String(repeating: "00", count: 17) + "011F091E000012")
        #expect(
            MagTekReplies.command(driver.property(request))
                == expected + Array(repeating: 0, count: 60 - expected.count))
        let reply = driver.receive(
            HIDReport(kind: .feature, bytes: Self.part(0, offset: 0, total: 0, [])))
        #expect(MagTekReplies.reply(reply) == .success(.text("2026-01-31 09:30:00")))
    }

    @Test func anExtendedRefusalHasItsNumber() throws {
        var driver = try MagTekReplies.introduced()
        _ = driver.property(PropertyRequest(token: 9, name: "clock", newValue: .text("2026-01-31 09:30:00")))
        let reply = driver.receive(
            HIDReport(kind: .feature, bytes: Self.part(0, offset: 0, total: 0, result: 0x81, [])))
        #expect(
            MagTekReplies.reply(reply) == .failure(.refused(reason: "extended result code 129")))
    }
}
