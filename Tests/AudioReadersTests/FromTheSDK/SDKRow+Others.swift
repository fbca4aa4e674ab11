import AudioReaders
import CardData
import ReaderKit
import ReaderTesting

extension SDKRow {
    static let battery: [SDKRow] = [
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "connected, activated, ready at once",
            "the same, experimental"
        ) {
            var one = Given.ips()
            var other = Given.enterprise()
            let expected = ["connect", "activate success", "ready"]
            return Given.names(one.takeEvents()) == expected && Given.names(other.takeEvents()) == expected
        },
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "`delegate`",
            "`SwipeController.delegate`, or any subscription",
            by: "SwipeClientTests.DelegateTests/tellsAReadersLife",
            "EndToEndTests.IPSReaderTests/fromPlugToUnplug"),
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "`shutdown`",
            "`set_audio_reader` with another type, or `none`",
            by: "EndToEndTests.HandOverTests/fromOneKindToTheNext"),
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "`beginTestCommunication:`",
            "`test_communication`: a tone, then the wake-up; a warning comes with the answer"
        ) {
            var bench = Given.ips()
            let warning = Given.warning(bench.ask(.testCommunication))
            let isLoud = bench.isToneOn
            bench.timeOut()
            return warning == IPSTest.warning && isLoud && !bench.isToneOn && !bench.bursts.isEmpty
        },
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "`…CommunicationTestCompleteWithResult:YES`",
            "the test's result: the reader answered"
        ) {
            var bench = Given.enterprise()
            bench.ask(.testCommunication)
            bench.timeOut()
            bench.hears([0x4D, IPSChecksum.value(of: [0x4D])])
            return bench.takeEvents().last == .testCompleted(true, why: nil)
        },
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "`…CommunicationTestCompleteWithResult:NO` after 5 seconds",
            "the same"
        ) {
            var bench = Given.ips()
            bench.ask(.testCommunication)
            bench.timeOut()
            var waited = Duration.zero
            while let timer = bench.timer {
                waited += timer
                bench.timeOut()
            }
            return waited == .seconds(5) && bench.takeEvents().last == .testCompleted(false, why: nil)
        },
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "bad swipes are silent",
            "`swipe` without a card: a client can say so"
        ) {
            var bench = Given.ips()
            bench.hears(SimulatedPackets.ipsBadSwipe)
            return Given.names(bench.takeEvents()).suffix(2) == ["swipe started", "unreadable"]
        },
        SDKRow("PGSwipeIps, PGSwipeIpsEnterprise", "a swipe", "`swipe`, encrypted, with its KSN") {
            var generator = SeededGenerator(state: 11)
            var bench = Given.ips()
            bench.hears(SimulatedPackets.ips(&generator))
            return bench.takeEvents().contains {
                if case .swipe(let swipe) = $0 { swipe.encryption?.scheme == "dukpt-tdes" } else { false }
            }
        },
        SDKRow(
            "PGSwipeIps, PGSwipeIpsEnterprise", "nothing to power up, nothing to request",
            "`activate`, `request_swipe` and the like are refused with the reason"
        ) {
            var bench = Given.ips()
            return [ReaderRequest.activate, .deactivate, .cancelActivation, .requestSwipe(), .cancelSwipe]
                .allSatisfy { Given.refusal(bench.ask($0)) == .notApplicable }
        },
        SDKRow(
            "PGSwipeIDynamo", "active and ready when attached, no options", "the same for all readers on USB",
            by: "EndToEndTests.HIDChainTests/reportThroughHidapiBecomesOneExactLine"),
        SDKRow(
            "PGSwipeIDynamo", "`initWithDelegate:`, `delegate`", "nothing to do: found by its USB id",
            by: "HIDReadersTests.CatalogTests/idsFindTheirDriver"),
    ]

    static let results: [SDKRow] = [
        SDKRow("SwipeActivationResult", "`Success` (0)", "`success`") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            return bench.takeEvents().contains(.activate(.success, why: nil))
        },
        SDKRow("SwipeActivationResult", "`Timeout` (1)", "`timeout`, after every profile was tried") {
            var bench = Given.uniMag(.connecting)
            for _ in 0..<100 where bench.driver.state != .attached { bench.timeOut() }
            // Rates are the sound card's: what parts one profile from another is the speed and the polarity.
            let kinds = Set(AcousticProfile.uniMagProfiles.map { "\($0.baud) \($0.commandPolarity)" })
            return bench.takeEvents().contains(.activate(.timeout, why: nil))
                && bench.takeCommands().count { Given.isBurst($0) } == 3 * kinds.count
        },
        SDKRow("SwipeActivationResult", "`Failure` (2)", "`failed`, with the reason in words") {
            var bench = Given.uniMag(.poweringUp)
            bench.fail(.playbackMissing(detail: "no such card"))
            return Given.names(bench.takeEvents()).contains("activate failed: why")
        },
        SDKRow(
            "SwipeActivationResult", "`VolumeTooLow` (3)",
            "`volume_too_low`: it cannot be raised, or must not"
        ) {
            var one = Given.uniMag(.raisingVolume)
            one.fail(.volumeTooLow)
            var other = Given.uniMag(.prompting) { $0.volumeToMax = false }
            other.ask(.answerPrompt(id: other.prompt?.id ?? 0, .accept))
            other.quiet()
            let result = ReaderEvent.activate(.volumeTooLow, why: nil)
            return one.takeEvents().contains(result) && other.takeEvents().contains(result)
        },
        SDKRow("SwipeActivationResult", "–", "`declined`, `cancelled`: the SDK says nothing then") {
            var declined = Given.uniMag(.prompting)
            declined.timeOut()
            var cancelled = Given.uniMag(.raisingVolume)
            cancelled.ask(.cancelActivation)
            return declined.takeEvents().last == .activate(.declined, why: nil)
                && cancelled.takeEvents().last == .activate(.cancelled, why: nil)
        },
        SDKRow("SwipeReasonUnreadyForSwipe", "`Disconnected` (0)", "`disconnected`") {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.unplug()
            return bench.takeEvents().contains(.unready(.disconnected))
        },
        SDKRow("SwipeReasonUnreadyForSwipe", "`TimedOut` (1)", "`timeout`") {
            var bench = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            bench.timeOut()
            return bench.takeEvents().last == .unready(.timeout)
        },
        SDKRow("SwipeReasonUnreadyForSwipe", "`Canceled` (2)", "`cancelled`") {
            var bench = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            bench.ask(.cancelSwipe)
            return bench.takeEvents().last == .unready(.cancelled)
        },
        SDKRow("SwipeReasonUnreadyForSwipe", "`Refreshing` (3)", "`refreshing`") {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.timeOut()
            return bench.takeEvents().last == .unready(.refreshing)
        },
        SDKRow(
            "SwipeReasonUnreadyForSwipe", "`SwipeDone` (4)", "`swiped`, for a good swipe and for a bad one"
        ) {
            var good = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            good.hears(Given.UniMag.packet)
            var bad = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            bad.hears(Array(Given.UniMag.packet.dropLast(4)) + [0, 0, 0, 3])
            return good.takeEvents().last == .unready(.swiped) && bad.takeEvents().last == .unready(.swiped)
        },
        SDKRow(
            "SwipeReasonUnreadyForSwipe", "–",
            "`deactivated`, `error`, `suspended`: the SDK has no words for these"
        ) {
            var bench = Given.uniMag(.awaitingSwipe) { $0.activateOnAttach = false }
            bench.ask(.deactivate)
            var failing = Given.uniMag(.awaitingSwipe) { $0.activateOnAttach = false }
            failing.fail(.timedOut)
            var sleeping = Given.uniMag(.awaitingSwipe)
            sleeping.sleep()
            return bench.takeEvents().contains(.unready(.deactivated))
                && failing.takeEvents().contains(.unready(.error))
                && sleeping.takeEvents().suffix(2) == [.unready(.suspended), .deactivate(.suspended)]
        },
    ]

    static let orders: [SDKRow] = [
        SDKRow(
            "Order of events", "iDynamo: connected, activated, ready", "the same",
            by: "EndToEndTests.HIDChainTests/reportThroughHidapiBecomesOneExactLine"),
        SDKRow(
            "Order of events", "UniMag: connected, prompt, power-up, activated, request, ready", "the same"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            let names = Given.names(bench.takeEvents()).filter { $0 != "identified" }
            return names == [
                "connect", "prompt activation", "prompt closed accepted", "prompt initializing",
                "prompt closed over",
                "activate success", "ready",
            ]
        },
        SDKRow("Order of events", "IPS: connected, activated, ready at once", "the same") {
            var bench = Given.ips()
            return Given.names(bench.takeEvents()) == ["connect", "activate success", "ready"]
        },
        SDKRow("Order of events", "passive head (not in the SDK)", "as IPS") {
            var bench = LifeBench<PassiveHeadDriver>()
            bench.start()
            return Given.names(bench.takeEvents()) == ["connect", "activate success", "ready"]
        },
        SDKRow(
            "Order of events", "unplugged: unready, deactivated, disconnected",
            "the same, whatever the state was"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            _ = bench.takeEvents()
            bench.unplug()
            var asked = Given.uniMag(.prompting)
            _ = asked.takeEvents()
            asked.unplug()
            return Given.names(bench.takeEvents()) == ["unready disconnected", "deactivate", "disconnect"]
                && Given.names(asked.takeEvents()) == ["prompt closed disconnected", "disconnect"]
        },
        SDKRow(
            "Order of events", "unplugged while a card passes", "an unreadable `swipe` first, never a card"
        ) {
            var bench = Given.uniMag(.receiving)
            _ = bench.takeEvents()
            bench.unplug()
            return Given.names(bench.takeEvents()).first == "unreadable"
        },
    ]

    private static let packets: [SDKRow] = [
        SDKRow(
            "IPS packets", "a swipe (60), a bad swipe (66), awake (4D)",
            "`swipe` with a card, `swipe` without one, `test_complete`"
        ) {
            var generator = SeededGenerator(state: 4)
            var bench = Given.ips()
            _ = bench.takeEvents()
            bench.hears(SimulatedPackets.ips(&generator))
            bench.hears(SimulatedPackets.ipsBadSwipe)
            bench.ask(.testCommunication)
            bench.timeOut()
            bench.hears([0x4D, IPSChecksum.value(of: [0x4D])])
            return Given.names(bench.takeEvents()).filter { $0 != "identified" } == [
                "swipe started", "card", "swipe started", "unreadable", "test true",
            ]
        },
        SDKRow(
            "IPS packets", "modes: fixed key (00), key of the device (01), DUKPT (FE)",
            "`encryption.scheme`: `fixed-tdes`, `fixed-tdes`, `dukpt-tdes`",
            by: "AudioReadersTests.JackMessageTests/ipsModes"),
        SDKRow(
            "IPS packets", "mode: not encrypted (FD)", "`swipe` with its tracks",
            by: "AudioReadersTests.JackMessageTests/ipsPlain"),
    ]

    static let cards: [SDKRow] =
        packets + [
            SDKRow(
                "Cards", "`PGSwipedCard`: `track1`, `track2`, `track3`",
                "`SwipedCard` of the Swift library, with full access; the `swipe` event",
                by: "SwipeClientTests.SwipedCardTests/aCardInClear",
                "EndToEndTests.SecrecyTests/theFullViewHasIt"),
            SDKRow(
                "Cards", "`maskedCardNumber`, digits hidden as `0`", "`pan.masked`, digits hidden as `*`",
                by: "SwipeClientTests.DelegateTests/tellsAReadersLife",
                "EndToEndTests.HIDChainTests/reportThroughHidapiBecomesOneExactLine"),
            SDKRow(
                "Cards", "`expirationDate`, MMYY",
                "`SwipedCard.expirationDate`, MMYY; `expiry`, YYMM as on the card",
                by: "SwipeClientTests.DelegateTests/tellsAReadersLife"),
            SDKRow(
                "Cards", "`cardholderName`", "`name`",
                by: "EndToEndTests.HIDChainTests/reportThroughHidapiBecomesOneExactLine"),
            SDKRow(
                "Cards", "`PGEncryptedSwipedCard`: `ksn`", "`encryption.ksn`",
                by: "EndToEndTests.IPSReaderTests/theLineOfASwipe"),
            SDKRow(
                "Cards", "`PGMagnesafeSwipedCard`: `magnesafeKsn`, `magnesafePrint`, `magnesafePrintStatus`",
                "`SwipedCard.keySerialNumber` and `.magnePrint`; `encryption.ksn`, `encryption.magneprint` with its `status`",
                by: "SwipeClientTests.SwipedCardTests/anEncryptedCard",
                "EndToEndTests.SDKPromiseTests/theMagnePrintReachesAClient"),
            SDKRow(
                absent: "Cards", "`initWithTrack1:track2:track3:cvv:`",
                "none: only a reader makes a card"),
            SDKRow(
                absent: "Cards",
                "`PGCard`, `PGKeyedCard` (`cardNumber`, `expirationDate`, `cardStartDate`, `cardIssueNumber`), "
                    + "`PGSwipedKeyedCard`, `cvv`, `PGEncrypt`, `getDirectPostStringWithCVVIncluded:`",
                "none: this daemon reads cards and pays nothing. [Checkout](../Checkout/README.md) does both"),
        ]
}
