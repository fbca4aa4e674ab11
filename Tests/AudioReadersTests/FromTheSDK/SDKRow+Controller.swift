import AudioReaders
import ReaderKit

extension SDKRow {
    static let controller: [SDKRow] =
        [
            SDKRow(
                "PGSwipeController", "`initWithDelegate:`",
                "`SwipeController` of the Swift library; any client: `subscribe`. Readers that are there are told first",
                by: "SwipeClientTests.DelegateTests/tellsOfAReaderThatIsReadyAlready"),
            SDKRow(
                "PGSwipeController", "`delegate`", "`SwipeController.delegate`, or any subscription",
                by: "SwipeClientTests.DelegateTests/tellsAReadersLife"),
            SDKRow(
                "PGSwipeController", "`initWithDelegate:audioReader:`",
                "`[audio-reader NAME] type` of the configuration",
                by: "SwipeDaemonTests.ConfigurationTests/readsHowAReaderBehaves"),
            SDKRow(
                "PGSwipeController", "`audioJackReaderType`",
                "`type` of the input in `audio_inputs` of `readers`",
                by: "EndToEndTests.AutodetectChainTests/finds"),
            SDKRow(
                "PGSwipeController", "`setAudioJackReaderType:messageOptions:`",
                "`set_audio_reader`; texts and options stay in the configuration",
                by: "EndToEndTests.HandOverTests/fromOneKindToTheNext"),
            SDKRow(
                "PGSwipeController", "`setAudioJackReaderType:` with autodetection: upon connection",
                "at once where something is in the jack, else when something is plugged in",
                by: "EndToEndTests.AutodetectChainTests/findsNothing",
                "EndToEndTests.AutodetectChainTests/finds"),
            SDKRow(
                "PGSwipeController", "one audio reader at a time",
                "one driver has a sound card, the old one ends first",
                by: "EndToEndTests.HandOverTests/fromOneKindToTheNext",
                "EndToEndTests.HandOverTests/manyTimes"),
            SDKRow(
                "PGSwipeController", "`iDynamoReader`, `uniMagReader`, `ipsReader`, `ipsEnterpriseReader`",
                "`readers`; each has a `kind`", by: "EndToEndTests.AutodetectChainTests/finds",
                "EndToEndTests.SwipeCtlTests/readersTellsAllAboutOne"),
        ] + types + search

    private static let types: [SDKRow] = [
        SDKRow("AudioJackReaderType", "`Unimag` (1)", "`unimag`") {
            UniMagDriver.descriptor.kind == "unimag"
        },
        SDKRow(
            "AudioJackReaderType", "without a word it is `Unimag`",
            "without a word it is `passive`: no tone that nobody asked for",
            by: "SwipeDaemonTests.ConfigurationTests/aReaderIsAPassiveHeadUnlessSaid"),
        SDKRow("AudioJackReaderType", "`Ips` (2)", "`ips`, experimental") {
            IPSDriver<EncryptedIPS>.descriptor.kind == "ips"
        },
        SDKRow("AudioJackReaderType", "`AutodetectOnConnect` (3)", "`autodetect`") {
            AutodetectDriver.descriptor.kind == "autodetect"
        },
        SDKRow(
            "AudioJackReaderType", "`None` (4)", "`none`",
            by: "EndToEndTests.JackTests/typeNoneLeavesTheInputAlone"),
        SDKRow("AudioJackReaderType", "`IpsEnterprise` (5)", "`ips_enterprise`, experimental") {
            IPSDriver<EnterpriseIPS>.descriptor.kind == "ips_enterprise"
        },
        SDKRow("AudioJackReaderType", "–", "`passive`: a bare head, which the SDK does not know") {
            PassiveHeadDriver.descriptor.kind == "passive"
        },
    ]

    private static let search: [SDKRow] = [
        SDKRow("Autodetect", "`beginAutodetectAudioJackCardReader`", "`autodetect`") {
            var bench = LifeBench<AutodetectDriver>()
            bench.start()
            return Given.names(bench.takeEvents()) == ["autodetect started"]
        },
        SDKRow(
            "Autodetect", "order: IPS Enterprise, IPS, UniMag (the guide; the header has IPS first)",
            "the guide's, then a passive head"
        ) {
            var bench = LifeBench<AutodetectDriver>()
            bench.start()
            var order = [bench.driver.state]
            while bench.timer != nil {
                bench.timeOut()
                bench.quiet()
                if bench.driver.state != order.last { order.append(bench.driver.state) }
            }
            return order == [.ipsEnterprise, .ips, .unimag, .passive, .failed]
        },
        SDKRow(
            "Autodetect", "very loud tones: warn people first",
            "the words come with the answer to `autodetect`",
            by: "EndToEndTests.AutodetectChainTests/isAskedFor"),
        SDKRow("Autodetect", "notices to people are suppressed", "no `prompt` during the search") {
            var bench = LifeBench<AutodetectDriver>()
            bench.start()
            for _ in 0..<60 {
                bench.timeOut()
                bench.quiet()
            }
            return !Given.names(bench.takeEvents()).contains { $0.hasPrefix("prompt") }
        },
        SDKRow(
            "Autodetect", "no connected, activated or ready events",
            "the same: after `autodetect_complete` the reader's `state` holds",
            by: "EndToEndTests.AutodetectChainTests/finds", "AudioReadersTests.AutodetectTests/finds"),
        SDKRow(
            "Autodetect", "`CardReaderAutodetectResultUniMag` (0)", "`unimag`",
            by: "EndToEndTests.AutodetectChainTests/finds", "AudioReadersTests.AutodetectTests/finds"),
        SDKRow("Autodetect", "`CardReaderAutodetectResultIps` (1)", "`ips`") {
            var bench = LifeBench<AutodetectDriver>()
            bench.profile = .ips
            bench.start()
            while bench.driver.state == .ipsEnterprise { bench.timeOut() }
            bench.hears([0x4D, IPSChecksum.value(of: [0x4D])])
            return Given.names(bench.takeEvents()) == ["autodetect started", "autodetect ips"]
                && bench.lifecycle.state == .ready
        },
        SDKRow(
            "Autodetect", "`CardReaderAutodetectResultIpsEnterprise` (2)", "`ips_enterprise`",
            by: "EndToEndTests.AutodetectChainTests/finds", "AudioReadersTests.AutodetectTests/finds"),
        SDKRow(
            "Autodetect", "`CardReaderAutodetectResultFail` (3)", "`fail`",
            by: "EndToEndTests.AutodetectChainTests/findsNothing"),
        SDKRow(
            "Autodetect", "keep the result yourself", "`remember_autodetect` keeps it over restarts",
            by: "EndToEndTests.AutodetectChainTests/remembersOverARestart"),
    ]

    static let delegate: [SDKRow] = [
        SDKRow("PGSwipeDevice", "`isConnected`", "`state` is there at all; `SwipeDevice.isConnected`") {
            Given.uniMag { $0.activateOnAttach = false }.lifecycle.state == .attached
        },
        SDKRow("PGSwipeDevice", "`isActivated`", "`state` is `active`, `ready` or `reading`") {
            Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }.lifecycle.state == .active
        },
        SDKRow("PGSwipeDevice", "`isReadyForSwipe`", "`state` is `ready` or `reading`") {
            Given.uniMag(.awaitingSwipe).lifecycle.state == .ready
        },
        SDKRow(
            "PGSwipeDevice", "`delegate`", "`SwipeController.delegate`",
            by: "SwipeClientTests.DelegateTests/tellsAReadersLife"),
        SDKRow("PGSwipeDelegate", "`didSwipeCard:device:`", "`swipe`") {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.hears(Given.UniMag.packet)
            return Given.names(bench.takeEvents()).contains("card")
        },
        SDKRow("PGSwipeDelegate", "`didSwipeCard:` with nil", "`swipe` without a card, with a hint") {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.hears(Array(Given.UniMag.packet.dropLast(4)) + [0, 0, 0, 3])
            return Given.names(bench.takeEvents()).contains("unreadable")
        },
        SDKRow("PGSwipeDelegate", "`deviceBecameReadyForSwipe:`", "`ready`, with `expires_at`") {
            var bench = Given.uniMag(.awaitingSwipe)
            return bench.takeEvents().contains(.ready(expiresIn: .seconds(20)))
        },
        SDKRow("PGSwipeDelegate", "`deviceBecameUnreadyForSwipe:reason:`", "`unready`, with `reason`") {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.timeOut()
            return bench.takeEvents().contains(.unready(.refreshing))
        },
        SDKRow("PGSwipeDelegate", "`deviceConnected:`", "`connect`; also for a headphone in the jack") {
            var bench = Given.uniMag { $0.activateOnAttach = false }
            return Given.names(bench.takeEvents()).first == "connect"
        },
        SDKRow("PGSwipeDelegate", "`deviceDisconnected:`", "`disconnect`") {
            var bench = Given.uniMag()
            bench.unplug()
            return Given.names(bench.takeEvents()).last == "disconnect"
        },
        SDKRow("PGSwipeDelegate", "`deviceActivationFinished:result:`", "`activate`, with `result`") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            return Given.names(bench.takeEvents()).last == "activate success"
        },
        SDKRow("PGSwipeDelegate", "`deviceDeactivated:`", "`deactivate`") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            bench.ask(.deactivate)
            return Given.names(bench.takeEvents()).contains("deactivate")
        },
        SDKRow(
            "PGSwipeDelegate", "`deviceAutodetectStarted`", "`autodetect_start`",
            by: "EndToEndTests.AutodetectChainTests/finds",
            "SwipeClientTests.DelegateTests/conditionsHoldAfterASearch"),
        SDKRow(
            "PGSwipeDelegate", "`deviceAutodetectComplete:`", "`autodetect_complete`, with `result`",
            by: "EndToEndTests.AutodetectChainTests/finds",
            "SwipeClientTests.DelegateTests/conditionsHoldAfterASearch"),
        SDKRow(
            "PGAudioJackConnectionDetector", "`audioJackObjectAttached`, `audioJackObjectDetached`",
            "`connect` and `disconnect`, once the plug no longer bounces",
            by: "EndToEndTests.JackTests/somethingInTheJackIsAReader",
            "EndToEndTests.JackTests/bouncesAreNoEvents"),
        SDKRow(
            "PGAudioJackConnectionDetector", "`isObjectPluggedIn`", "the reader is listed by `readers`",
            by: "EndToEndTests.JackTests/somethingInTheJackIsAReader"),
        SDKRow(
            "PGAudioJackConnectionDetector", "`defaultDetector`, `addDelegate:`, `removeDelegate:`",
            "any subscription", by: "EndToEndTests.JackTests/somethingInTheJackIsAReader"),
    ]
}
