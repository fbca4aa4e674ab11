import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders
@testable import ReaderPackets

/// Single rules of ID TECH's packets, each broken alone.
@Suite struct IDTechFieldTests {

    /// Of the original format's joined ciphertext one track alone has all.
    @Test(arguments: [(0, [40, 0, 0]), (1, [0, 35, 0])]) func aSingleTrackIsNotJoined(
        index: Int, lengths: [Int]
    ) throws {
        let data =
            [0x00, 0x1F] + lengths.map { UInt8($0) }
            + Array(repeating: UInt8(ascii: "*"), count: lengths[index])
            + Array(repeating: 3, count: 40) + Array(repeating: 9, count: 10)
        let packet = try IDTechFields.packet(data)
        #expect(packet.joinedCiphertext == nil)
        #expect(packet.tracks[index].ciphertext == Array(repeating: 3, count: 40))
        let tracks = packet.swipe().encryption?.tracks
        #expect(tracks?.map(\.track) == [index + 1])
        #expect(tracks?.map(\.joinedTracks) == [[]])
        #expect(tracks?.map(\.clearLength) == [lengths[index]])
    }

    /// Of a card that was not decoded nothing is shown, and everything is encrypted.
    @Test(arguments: [([10, 20, 30], [1, 2, 3], 64), ([0, 20, 3], [2, 3], 24), ([0, 0, 21], [], 24)])
    func aRawPacketIsAllCiphertext(lengths: [Int], joined: [Int], bytes: Int) throws {
        let ciphertext = Array(repeating: UInt8(3), count: bytes)
        var data: [UInt8] = [0x04, 0x38] + lengths.map { UInt8($0) } + ciphertext
        data += Array(repeating: 9, count: 10)
        let swipe = try IDTechFields.packet(data).swipe()
        #expect(
            swipe.tracks.map(\.outcome)
                == lengths.map { $0 > 0 ? .encrypted(masked: "") : .refused(.malformed) })
        #expect(swipe.encryption?.tracks.map(\.joinedTracks) == [joined])
        #expect(swipe.encryption?.tracks.map(\.ciphertext) == [ciphertext])
        #expect(swipe.encryption?.tracks.map(\.clearLength) == [lengths.reduce(0, +)])
        #expect(swipe.encryption?.keySerialNumber == Array(repeating: 9, count: 10))
    }

    /// The reader sends a licence with its number and its holder's birthday.
    @Test(arguments: [(0x80, "636014"), (0x81, "******")] as [(UInt8, String)]) func aLicenceIsCovered(
        type: UInt8, issuer: String
    ) throws {
        let text = Array(";6360140123456789=251219800131?*".utf8)
        var data = [type, 0x1F, 0, UInt8(text.count), 0, 0x02, 0x82] + text
        data += Array(repeating: 3, count: 32) + Array(repeating: 9, count: 10)
        let masked = try #require(try IDTechFields.packet(data).swipe().tracks[1].masked)
        #expect(masked == ";\(issuer)**********=************?*")
    }

    @Test(arguments: [(0, false), (1, true)] as [(UInt8, Bool)]) func aHashOfZerosIsNone(
        value: UInt8, isThere: Bool
    ) throws {
        var data: [UInt8] = [0x80, 0x1F, 0, 8, 0, 0x00, 0x92] + Array(repeating: 3, count: 8)
        data += Array(repeating: 0, count: 19) + [value] + Array(repeating: 9, count: 10)
        let hash = try IDTechFields.packet(data).swipe().encryption?.tracks.first?.hash
        #expect(hash == (isThere ? Array(repeating: 0, count: 19) + [1] : nil))
    }

    /// Sampled and not decoded; a track without a sample is decoded, by what the status says.
    @Test(arguments: [(0x08, 0, true), (0x09, 0, false), (0x01, 0, false), (0x10, 1, true), (0x20, 2, true)])
    func aTrackThatWasNotDecodedIsRefused(status: Int, index: Int, isRefused: Bool) throws {
        let swipe = try IDTechFields.packet([0x80, UInt8(status), 0, 0, 0, 0, 0]).swipe()
        #expect(swipe.tracks[index].outcome == (isRefused ? .refused(.malformed) : .empty))
        #expect(swipe.tracks.count { $0.outcome == .refused(.malformed) } == (isRefused ? 1 : 0))
    }

    @Test(
        arguments: [
            (";4111111111111111=2712101?", true), (";4111111111111111=2712101", false),
            (";4111111111111111=2712101A", false), (";41111111A1111111=2712101?", false),
            (";4111111111111111=27?2101?", false), ("%B4111111111111111^DOE/J^2712101?", true),
            ("%B4111111111111111^doe/j^2712101?", false), ("%B4111111111111111^DOE/J^2712101", false),
            ("4111111111111111=2712101?", false), ("?", false), (";?", true), (";", false),
        ])
    func clearTracksAreLookedAt(text: String, isRead: Bool) {
        let outcome = TrackTextCheck.outcome(Array(text.utf8), track: 2)
        #expect(outcome == (isRead ? .read(SensitiveText(utf8: text.utf8)) : .refused(.malformed)))
    }

    /// A clear track ends with its LRC, which of one in sixteen is an end sentinel itself; setting 6F drops it.
    @Test(arguments: [
        (";4111111111111111=27121015??", true), (";5452300551227189=080432100000007259??", true),
        (";000000??", false), (";000000?4", true), (";000000?", true), (";000000???", false),
    ])
    func anLRCThatLooksLikeTheEnd(text: String, isRead: Bool) throws {
        let bytes = Array(text.utf8)
        let swipe = try IDTechFields.packet([0x00, 0x1F, 0, UInt8(bytes.count), 0] + bytes).swipe()
        let track = text.prefix { $0 != "?" } + "?"
        #expect(swipe.tracks[1].text?.reveal() == (isRead ? String(track) : nil))
    }

    /// A tag that is longer than the packet in it.
    @Test(arguments: [0, 1, 2]) func aTagIsAsLongAsItsPacket(more: Int) throws {
        let packet = IDTechPackets.frame([0x80, 0x1F, 0, 0, 0, 0, 0])
        let padding = Array(repeating: UInt8(0), count: more)
        let tag = [0xDF, 0xEE, 0x23, UInt8(packet.count + more)] + packet + padding
        let range = try #require(IDTechTags.packets(in: tag).first)
        #expect(range == 4..<tag.count)
        #expect(
            (try? IDTechTags.packet(in: tag, range))
                == (more == 0 ? try IDTechFields.packet([0x80, 0x1F, 0, 0, 0, 0, 0]) : nil))
        let front = Array(repeating: UInt8(0), count: 20)
        let report = front + tag + Array(repeating: 0, count: 489 - tag.count)
        if more > 0 {
            #expect(throws: IDTechReport.Refusal.packet(.leftOver)) { try IDTechReport.parse(report) }
        } else {
            #expect(throws: Never.self) { try IDTechReport.parse(report) }
        }
    }

    /// The published answer, with every other check byte.
    @Test(arguments: 0..<256) func theCheckByteOfAnAnswer(check: Int) {
        let answer = [0x06, 0x02, 0x7E, 0x01, 0x33, 0x03, UInt8(check)]
        let data = try? IDTechResponse.data(answer, to: .read(0x7E))
        #expect(data == (check == 0x4D ? [0x33] : nil))
    }

    /// The length of an answer's value, and what a value that the manual does not name is.
    @Test(
        arguments: [(0x7E, 1, true), (0x7F, 1, false), (0x7E, 0, false), (0x7E, 2, false)]
            as [(UInt8, UInt8, Bool)])
    func anAnswerNamesItsValue(id: UInt8, length: UInt8, isRight: Bool) {
        let answer: [UInt8] = [0x02, id, length, 0x33, 0x03]
        let frames = [0x06] + answer + [answer.reduce(0, ^)]
        #expect((try? IDTechResponse.data(frames, to: .read(0x7E))) == (isRight ? [0x33] : nil))
    }
}

/// Single fields of ID TECH's report, and what the driver makes of it.
@Suite struct IDTechReportFieldTests {
    private static let track2 = ";5452300551227189=080432100000007250?"

    /// A report in clear, zero filled to its size.
    private static func report(status: [UInt8] = [0, 0, 0], total: Int, _ text: String, size: Int = 509)
        -> [UInt8]
    {
        let head = status + [0, 0, 0, 0, UInt8(total & 0xFF), UInt8(total >> 8)]
        let bytes = head + Array(text.utf8)
        return bytes + Array(repeating: 0, count: size - bytes.count)
    }

    private static func swipe(_ report: [UInt8]) throws -> Swipe {
        var driver = IDTechDrivers.driver()
        return try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
    }

    /// What an earlier and longer swipe left behind the announced end is nobody's.
    @Test func theHeaderSaysWhereTheDataEnds() throws {
        let text = Self.track2 + "\r;5163499080020445=000000000000?\r"
        let swipe = try Self.swipe(Self.report(total: Self.track2.utf8.count + 1, text))
        #expect(swipe.tracks[1].text?.reveal() == Self.track2)
        #expect(swipe.tracks[2].outcome == .empty)
        // Without a length, and with one that goes over the report, the zeros tell.
        for total in [0, 501, 0xFFFF] {
            #expect(try Self.swipe(Self.report(total: total, text)).tracks[2].text != nil, "\(total)")
        }
    }

    /// A track that failed is none that was read: a header that says so of the track whose text is there is not believed.
    @Test(arguments: 0..<3) func theHeaderSaysWhatWasNotDecoded(index: Int) throws {
        var status: [UInt8] = [0, 0, 0]
        status[index] = 1
        let report = Self.report(status: status, total: 0, Self.track2)
        guard index != 1 else {
            #expect(throws: IDTechReport.Refusal.contradiction) { try IDTechReport.parse(report) }
            return
        }
        let swipe = try Self.swipe(report)
        for other in 0..<3 {
            let right: TrackOutcome = other == 1 ? .read(SensitiveText(utf8: Self.track2.utf8)) : .empty
            #expect(swipe.tracks[other].outcome == (other == index ? .refused(.malformed) : right))
        }
    }

    @Test(
        arguments: [
            (0, 509, nil), (0, 512, nil), (1, 509, "report with id 1"),
            (0, 508, "report of 508 bytes instead of 509, 512"),
            (0, 513, "report of 513 bytes instead of 509, 512"),
        ] as [(UInt8, Int, String?)])
    func reportsHaveTheirIDAndSize(identifier: UInt8, size: Int, refusal: String?) {
        var driver = IDTechDrivers.driver()
        let report = HIDReport(id: identifier, bytes: Self.report(total: 0, Self.track2, size: size))
        let actions = driver.receive(report)
        if let refusal {
            #expect(actions == [.signal(.malformed(refusal))])
        } else {
            #expect(MagTekReports.swipes(actions).count == 1)
        }
    }

    /// The size that the device's own descriptor tells is the only one then.
    @Test func theDescriptorSaysTheSize() {
        let device = DeviceIdentity(
            readerID: "idtech", bus: .usb, vendorID: 0x0ACD, productID: 0x2010, node: "/dev/hidraw1",
            reportDescriptor: TestDescriptors.vendor(
                [(0x30, 8, 9), (0x31, 8, 200), (0x31, 8, 200)], featureBytes: 8))
        var driver = IDTechDriver(device)
        let right = HIDReport(bytes: Self.report(total: 0, Self.track2, size: 409))
        let wrong = HIDReport(bytes: Self.report(total: 0, Self.track2, size: 509))
        #expect(MagTekReports.swipes(driver.receive(right)).count == 1)
        #expect(
            driver.receive(wrong) == [.signal(.malformed("report of 509 bytes instead of 409"))])
    }

    /// A packet tells of its reader what nobody asked it yet; one in clear tells nothing of keys.
    @Test(arguments: [("IDTech/assumed/hid509_enhanced.hex", EncryptionState.encrypted)])
    func aPacketTellsOfEncryption(path: String, state: EncryptionState) throws {
        var driver = IDTechDrivers.driver()
        let told = MagTekReplies.identified(
            driver.receive(HIDReport(bytes: try Vector(path).bytes())))
        #expect(told?.encryption == state)
        #expect(told?.serial == "806T449554")
        let clear = IDTechPackets.frame(
            [0x00, 0x1F, 0, UInt8(IDTechPackets.track2.count), 0] + IDTechPackets.track2)
        var other = IDTechDrivers.driver()
        let report = Array(repeating: UInt8(0), count: 9) + clear
        let actions = other.receive(HIDReport(bytes: report + Array(repeating: 0, count: 509 - report.count)))
        #expect(MagTekReports.swipes(actions).count == 1)
        #expect(MagTekReplies.identified(actions) == nil)
    }
}
