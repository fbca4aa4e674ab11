import AudioReaders
import ReaderKit

extension SDKRow {
    static let controller: [SDKRow] =
        [
            SDKRow(
                "PGSwipeController", "`initWithDelegate:`",
                "`SwipeController` of the Swift library; any client: `subscribe`. The events of readers that are there come first",
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
                "`set_audio_reader`; options by `set`, texts stay in the configuration",
                by: "EndToEndTests.HandOverTests/fromOneKindToTheNext"),
            SDKRow(
                "PGSwipeController", "`setAudioJackReaderType:`, not to be called again and again",
                "`set_audio_reader` as often as one likes: the old driver has closed the sound card before the next opens it",
                by: "EndToEndTests.HandOverTests/manyTimes",
                "EndToEndTests.HandOverTests/inTheMiddleOfASwipe"),
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
                "`readers`; each has a `kind`: `magtek`, `unimag`, `ips`, `ips_enterprise`",
                by: "EndToEndTests.SDKPromiseTests/theFourReadersAreListedByTheirKinds"),
        ] + types + search

    private static let types: [SDKRow] = [
        SDKRow(
            "AudioJackReaderType", "`Unimag` (1)", "`unimag`",
            by: "EndToEndTests.HandOverTests/fromOneKindToTheNext"),
        SDKRow(
            "AudioJackReaderType", "without a word it is `Unimag`",
            "by default it is `passive`: no tone without a request",
            by: "SwipeDaemonTests.ConfigurationTests/aReaderIsAPassiveHeadUnlessSaid"),
        SDKRow(
            "AudioJackReaderType", "`Ips` (2)", "`ips`, experimental",
            by: "EndToEndTests.HandOverTests/fromOneKindToTheNext"),
        SDKRow(
            "AudioJackReaderType", "`AutodetectOnConnect` (3)", "`autodetect`",
            by: "EndToEndTests.AutodetectChainTests/finds"),
        SDKRow(
            "AudioJackReaderType", "`None` (4)", "`none`",
            by: "EndToEndTests.JackTests/typeNoneLeavesTheInputAlone"),
        SDKRow(
            "AudioJackReaderType", "`IpsEnterprise` (5)", "`ips_enterprise`, experimental",
            by: "EndToEndTests.HandOverTests/fromOneKindToTheNext"),
        SDKRow(
            "AudioJackReaderType", "–", "`passive`: a bare head, which the SDK does not know",
            by: "EndToEndTests.HandOverTests/fromOneKindToTheNext"),
    ]

    private static let search: [SDKRow] = [
        SDKRow(
            "Autodetect", "`beginAutodetectAudioJackCardReader`", "`autodetect`",
            by: "EndToEndTests.AutodetectChainTests/isAskedFor"),
        SDKRow("Autodetect", "a very slow process", "the same: up to a minute and a half") {
            var bench = LifeBench<AutodetectDriver>()
            bench.start()
            var time = Duration.zero
            while let timer = bench.timer {
                time += timer
                bench.timeOut()
                bench.quiet()
            }
            return bench.driver.state == .failed && time > .seconds(10) && time < .seconds(90)
        },
        SDKRow(
            "Autodetect", "the result is not always right, mostly `Fail` though a reader is there",
            "the same; a search that failed is made again at the next plug. Name the type where you know it",
            by: "EndToEndTests.AutodetectChainTests/findsNothing"),
        SDKRow(
            "Autodetect", "libraries may not unload cleanly after it",
            "one driver has the sound card at a time, and the last is the one that was found",
            by: "EndToEndTests.AutodetectChainTests/finds"),
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
        SDKRow(
            "PGSwipeDevice", "`isConnected`",
            "the reader is listed, with `is_connected`; `SwipeDevice.isConnected`, also once it is gone",
            by: "SwipeClientTests.DelegateTests/tellsAReadersLife",
            "EndToEndTests.AutodetectChainTests/findsNothing"),
        SDKRow("PGSwipeDevice", "`isActivated`", "`state` is `active`, `ready` or `reading`") {
            Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }.lifecycle.state == .active
        },
        SDKRow("PGSwipeDevice", "`isReadyForSwipe`", "`state` is `ready` or `reading`") {
            Given.uniMag(.awaitingSwipe).lifecycle.state == .ready
        },
        SDKRow(
            "PGSwipeDevice", "`delegate`", "`SwipeController.delegate`",
            by: "SwipeClientTests.DelegateTests/tellsAReadersLife"),
        SDKRow(
            "PGSwipeDelegate", "the device is passed with every event",
            "`reader` and `attachment` of each event; `SwipeDevice` of each method",
            by: "EndToEndTests.SDKPromiseTests/everyEventNamesItsReader",
            "SwipeClientTests.DelegateTests/tellsTheDeviceWithEachEvent"),
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
            "PGAudioJackConnectionDetector", "`defaultDetector`, `addDelegate:`",
            "any subscription", by: "EndToEndTests.JackTests/somethingInTheJackIsAReader"),
        SDKRow(
            "PGAudioJackConnectionDetector", "`removeDelegate:`", "`unsubscribe`; `SwipeController.stop()`",
            by: "EndToEndTests.SDKPromiseTests/whoUnsubscribesHearsNothing",
            "SwipeClientTests.DeviceRequestTests/aStoppedControllerTellsNothing"),
    ]
}
