import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// The reports of `Tests/Vectors/MagTek`, through the drivers as a transport would hand them over.
@Suite struct MagTekReportTests {

    @Test func levelTwoCarriesClearText() throws {
        var driver = MagTekReports.magneSafe()
        let report = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        let actions = driver.receive(HIDReport(bytes: report))
        let swipe = try #require(MagTekReports.swipes(actions).first)
        #expect(MagTekReports.clearTexts(swipe) == MagTekReports.tracks)
        #expect(swipe.encryption == nil)
        guard case .payment(let card)? = swipe.card else {
            Issue.record("no payment card")
            return
        }
        #expect(card.pan.reveal() == "5452300551227189")
        #expect(card.name?.text.reveal() == "HOGAN/PAUL")
        #expect(card.expiry?.yearMonth == "0804")
        let details = ReaderDetails(
            model: "MagneSafe V5 swipe (Dynamag, DynaPAD, Flash, BulleT)", encryption: .clear)
        #expect(actions.first == .signal(.identified(details)))
    }

    @Test func sureSwipeCarriesClearText() throws {
        var driver = MagTekReports.sureSwipe()
        let report = try Vector("MagTek/generated/sureswipe_hid337.hex").bytes()
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect(MagTekReports.clearTexts(swipe) == MagTekReports.tracks)
        #expect(
            swipe.tracks.compactMap(\.masked).first
                == "%B545230******7189^HOGAN/PAUL      ^0804321****************?")
    }

    @Test func aBadTrackTakesNoGoodOneWithIt() throws {
        var driver = MagTekReports.sureSwipe()
        let report = try Vector("MagTek/generated/sureswipe_hid337_t1error.hex").bytes()
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect(swipe.tracks[0].outcome == .refused(.malformed))
        #expect(swipe.tracks[1].text?.reveal() == MagTekReports.tracks[1])
        #expect(swipe.tracks[2].outcome == .empty)
        #expect(swipe.card?.kind == "payment")
    }

    @Test func nothingDecodedIsASwipeWithoutACard() throws {
        var driver = MagTekReports.sureSwipe()
        let report = try Vector("MagTek/generated/sureswipe_hid337_allbad.hex").bytes()
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect(swipe.card == nil)
        #expect(swipe.tracks.allSatisfy { $0.outcome == .refused(.malformed) })
    }

    @Test func encryptedTracksStayEncrypted() throws {
        var driver = MagTekReports.magneSafe()
        let report = try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect(swipe.tracks.allSatisfy { $0.text == nil })
        #expect(
            swipe.tracks.map(\.masked) == [
                "%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?",
                ";5452000000007189=080400000000000000?",
                ";5163000050000445=000000000000?",
            ])
        let encryption = try #require(swipe.encryption)
        #expect(encryption.scheme == "dukpt-tdes")
        #expect(encryption.keyVariant == .data)
        #expect(Hex.text(encryption.keySerialNumber) == "FFFF9876543210E00008")
        #expect(encryption.tracks.map(\.track) == [1, 2, 3])
        #expect(encryption.tracks.map(\.ciphertext.count) == [64, 40, 32])
        #expect(encryption.tracks.map(\.clearLength) == [60, 37, 31])
        #expect(encryption.counter == nil)
        #expect(Hex.text(encryption.session ?? []) == "1D4DE2B0B54E1CE2")
        #expect(encryption.magnePrint?.status == 0x5A1)
        #expect(encryption.magnePrint?.ciphertext.count == 56)
        guard case .payment(let card)? = swipe.card else {
            Issue.record("no payment card")
            return
        }
        #expect(card.pan.masked == "5452********7189")
        #expect(card.expiry?.yearMonth == "0804")
    }

    /// The newest layout: what it has behind the others, and what is the same in all.
    @Test func theNewestLayout() throws {
        var driver = MagTekReports.magneSafe()
        let report = try Vector("MagTek/generated/v5_hid931_datavariant.hex").bytes()
        let actions = driver.receive(HIDReport(bytes: report))
        let swipe = try #require(MagTekReports.swipes(actions).first)
        let older = try #require(
            MagTekReports.swipes(driver.receive(HIDReport(bytes: Array(report.prefix(887))))).first)
        #expect(swipe.tracks == older.tracks && swipe.card == older.card)
        let encryption = try #require(swipe.encryption)
        #expect(encryption.counter == 2033)
        #expect(encryption.tracks[1].hash == Array(0x60..<0x80))
        #expect(encryption.tracks[1].sha1Hash == Array(0x40..<0x54))
        #expect(older.encryption?.tracks[1].hash == Array(0x40..<0x54))
        #expect(older.encryption?.tracks[1].sha1Hash == nil)
        #expect(encryption.tracks[0].hash == nil && encryption.tracks[0].sha1Hash == nil)
        #expect(Hex.text(encryption.magnePrint?.keySerialNumber ?? []) == "FFFF9876543211E00003")
        #expect(older.encryption?.magnePrint?.keySerialNumber == nil)
        #expect(encryption.tracks.map(\.ciphertext) == older.encryption?.tracks.map(\.ciphertext))
        #expect(FoundCaptures.found(report).map(\.swipe) == [swipe])
    }

    /// Zeros are no hash: the other one is told as the only one, and none where both are zeros.
    @Test(arguments: [
        ([MagTekField.hash1], 32, nil), ([.hash256], 20, nil), ([.hash1, .hash256], nil, nil),
        ([], 32, 20 as Int?),
    ])
    func hashesThatAreFilledIn(zeros: [MagTekField], hash: Int?, sha1: Int?) throws {
        var report = try Vector("MagTek/generated/v5_hid931_datavariant.hex").bytes()
        for field in zeros {
            let range = try #require(MagTekLayout.magneSafe931[field])
            report.replaceSubrange(range, with: Array(repeating: 0, count: range.count))
        }
        let swipe = try MagTekReport(report, layout: .magneSafe931).checkedSwipe()
        #expect(swipe.encryption?.tracks[1].hash?.count == hash)
        #expect(swipe.encryption?.tracks[1].sha1Hash?.count == sha1)
    }

    @Test func readyWithoutWaitingForAnAnswer() {
        var driver = MagTekReports.magneSafe()
        let actions = driver.start()
        let commands = actions.compactMap { if case .command(let command) = $0 { command } else { nil } }
        #expect(actions.prefix(3).last == .signal(.ready(expiresIn: nil)))
        #expect(commands == [.feature([0x15, 0x00] + Array(repeating: 0, count: 58))])
        #expect(driver.timerFired().contains { if case .command = $0 { true } else { false } } == false)
    }

    @Test(arguments: [0, 1, 855, 857, 886, 888, 930, 932, 4096]) func aReportOfWrongSizeIsNamed(length: Int) {
        var driver = MagTekReports.magneSafe()
        let actions = driver.receive(HIDReport(bytes: Array(repeating: 0, count: length)))
        #expect(actions == [.signal(.malformed("report of \(length) bytes instead of 856, 887, 931"))])
    }
}
