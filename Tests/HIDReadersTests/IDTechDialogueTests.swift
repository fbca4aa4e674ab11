import CardData
import ReaderKit
import Testing

@testable import HIDReaders

/// Commands of an ID TECH reader that do not go out: what a transport says of which, in the order in which it does.
@Suite struct IDTechDialogueTests {
    private static let firstQuestion: [UInt8] = [0x02, 0x52, 0x7E, 0x03, 0x2D, 0, 0, 0]
    private static let secondQuestion: [UInt8] = [0x02, 0x52, 0x22, 0x03, 0x71, 0, 0, 0]

    private static func commands(_ actions: [DriverAction]) -> [TransportCommand] {
        IDTechDrivers.commands(actions)
    }

    private static func started() -> IDTechDriver {
        var driver = IDTechDrivers.driver()
        _ = driver.start()
        return driver
    }

    /// The get behind a frame that was refused brings nothing, or an old answer: neither is one to this command, and neither
    /// is counted for the next.
    @Test(arguments: [[], [0x06, 0x02, 0x7E, 0x01, 0x33, 0x03, 0x4D, 0x00]] as [[UInt8]])
    func aRefusedFrameEndsItsExchange(late: [UInt8]) {
        var driver = Self.started()
        #expect(driver.commandFailed(.setFeature(Self.firstQuestion), .refused).isEmpty)
        let next = driver.receive(HIDReport(kind: .feature, bytes: late))
        #expect(Self.commands(next) == [.setFeature(Self.secondQuestion), .getFeature()])
        #expect(MagTekReplies.identified(next) == nil)
        // Whose answer is awaited now is plain: it is read as the firmware's name.
        let text: [UInt8] = [0x06, 0x02] + Array("V1".utf8)
        let check = ([0x02] + Array("V1".utf8) + [0x03]).reduce(0, ^)
        _ = driver.receive(HIDReport(kind: .feature, bytes: text + [0x03, check, 0, 0]))
        _ = driver.receive(HIDReport(kind: .feature, bytes: []))
        _ = driver.receive(HIDReport(kind: .feature, bytes: [0x16, 0, 0, 0, 0, 0, 0, 0]))
        let told = MagTekReplies.identified(driver.receive(HIDReport(kind: .feature, bytes: [])))
        #expect(told?.firmware == "V1")
        #expect(told?.encryption == .unknown)
    }

    /// A virtual reader, and one that stalls, refuses the frame and the get.
    @Test func aReaderThatRefusesEverythingIsAskedEachOnce() {
        var driver = Self.started()
        var asked = 1
        for _ in 0..<10 {
            #expect(driver.commandFailed(.setFeature([]), .refused).isEmpty)
            let next = Self.commands(driver.commandFailed(.getFeature(), .refused))
            asked += next.count { if case .setFeature = $0 { true } else { false } }
            if next.isEmpty { break }
        }
        #expect(asked == 4)
    }

    @Test func whoAskedHearsOfTheFrame() {
        var driver = Self.started()
        for _ in 0..<4 {
            _ = driver.commandFailed(.setFeature([]), .refused)
            _ = driver.commandFailed(.getFeature(), .refused)
        }
        let sent = driver.property(
            PropertyRequest(token: 9, name: "session_id", newValue: .text("0102030405060708")))
        #expect(Self.commands(sent).count == 3)
        // The first of two frames goes out, the second does not.
        _ = driver.commandFailed(.setFeature([]), .timedOut)
        let reply = driver.receive(HIDReport(kind: .feature, bytes: [0x06, 0, 0, 0, 0, 0, 0, 0]))
        #expect(MagTekReplies.reply(reply) == .failure(.timedOut))
    }

    /// A mute reader holds the frame and the get for five seconds each, and was given up after seven.
    @Test func aFrameOfAnExchangeThatWasGivenUpIsNotTheNextOnes() {
        var driver = Self.started()
        _ = driver.timerFired()
        let sent = driver.property(PropertyRequest(token: 1, name: "encryption"))
        #expect(Self.commands(sent).count == 2)
        #expect(driver.commandFailed(.setFeature(Self.firstQuestion), .timedOut).isEmpty)
        #expect(driver.commandFailed(.getFeature(), .timedOut).isEmpty)
        _ = driver.receive(
            HIDReport(kind: .feature, bytes: [0x06, 0x02, 0x4C, 0x01, 0x30, 0x03, 0x7C, 0x00]))
        let reply = driver.receive(HIDReport(kind: .feature, bytes: []))
        #expect(MagTekReplies.reply(reply) == .success(.text("0")))
    }

    private static func answered(_ driver: inout IDTechDriver, _ body: [UInt8]) {
        let checked = [0x02] + body + [0x03]
        _ = driver.receive(HIDReport(kind: .feature, bytes: [0x06] + checked + [checked.reduce(0, ^)]))
        _ = driver.receive(HIDReport(kind: .feature, bytes: []))
    }

    /// A swipe whose packet leaves its cipher open: 107 characters, 112 bytes of ciphertext.
    private static func encryption(_ driver: inout IDTechDriver) -> SwipeEncryption? {
        let packet = IDTechPackets.original(cipher: Array(repeating: 3, count: 112))
        let report = Array(repeating: UInt8(0), count: 9) + packet
        let padding = Array(repeating: UInt8(0), count: 509 - report.count)
        return MagTekReports.swipes(driver.receive(HIDReport(bytes: report + padding))).first?.encryption
    }

    /// The reader is asked for what packets of the original format leave out, and for what it is set to later.
    @Test func theCipherIsAskedFor() {
        var driver = Self.started()
        #expect(Self.encryption(&driver)?.isSchemeAssumed == true)
        Self.answered(&driver, [0x7E, 1, 0x33])
        for _ in 0..<2 {
            _ = driver.commandFailed(.setFeature([]), .refused)
            _ = driver.commandFailed(.getFeature(), .refused)
        }
        Self.answered(&driver, [0x4C, 1, 0x32])
        #expect(Self.encryption(&driver)?.scheme == "dukpt-aes")
        #expect(Self.encryption(&driver)?.isSchemeAssumed == false)
        _ = driver.property(PropertyRequest(token: 1, name: "encryption", newValue: .text("1")))
        _ = driver.receive(HIDReport(kind: .feature, bytes: [0x06]))
        _ = driver.receive(HIDReport(kind: .feature, bytes: []))
        #expect(Self.encryption(&driver)?.scheme == "dukpt-tdes")
        #expect(Self.encryption(&driver)?.isSchemeAssumed == false)
        _ = driver.property(PropertyRequest(token: 2, name: "encryption"))
        Self.answered(&driver, [0x4C, 1, 0x32])
        #expect(Self.encryption(&driver)?.scheme == "dukpt-aes")
        _ = driver.property(PropertyRequest(token: 3, name: "defaults", newValue: .number(1)))
        _ = driver.receive(HIDReport(kind: .feature, bytes: [0x06]))
        _ = driver.receive(HIDReport(kind: .feature, bytes: []))
        #expect(Self.encryption(&driver)?.isSchemeAssumed == true)
    }
}
