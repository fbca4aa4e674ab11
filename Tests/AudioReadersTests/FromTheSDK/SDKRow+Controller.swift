import AudioReaders
import ReaderKit

extension SDKRow {
    static let controller: [SDKRow] =
        [
            SDKRow(
                "PGSwipeController", "`initWithDelegate:`",
                "`SwipeController` of the Swift library; any client: `subscribe`. Readers that are there are told first",
                by: "SwipeClientTests/DelegateTests.swift"),
            SDKRow(
                "PGSwipeController", "`initWithDelegate:audioReader:`",
                "`[audio-reader NAME] type` of the configuration",
                by: "SwipeDaemonTests/ConfigurationTests.swift"),
            SDKRow(
                "PGSwipeController", "`setAudioJackReaderType:messageOptions:`",
                "`set_audio_reader`; texts and options stay in the configuration",
                by: "SwipeProtocolTests/RequestTests.swift"),
            SDKRow(
                "PGSwipeController", "one audio reader at a time",
                "one driver has a sound card, the old one ends first",
                by: "SwipeDaemonTests/ReaderSupervisorTests.swift"),
            SDKRow(
                "PGSwipeController", "`iDynamoReader`, `uniMagReader`, `ipsReader`, `ipsEnterpriseReader`",
                "`readers`; each has a `kind`", by: "EventServerTests/StreamTests.swift"),
        ] + types + search

    private static let types: [SDKRow] = [
        SDKRow("AudioJackReaderType", "`Unimag` (1)", "`unimag`") {
            UniMagDriver.descriptor.kind == "unimag"
        },
        SDKRow("AudioJackReaderType", "`Ips` (2)", "`ips`, experimental") {
            IPSDriver<EncryptedIPS>.descriptor.kind == "ips"
        },
        SDKRow("AudioJackReaderType", "`AutodetectOnConnect` (3)", "`autodetect`") {
            AutodetectDriver.descriptor.kind == "autodetect"
        },
        SDKRow(
            "AudioJackReaderType", "`None` (4)", "`none`", by: "SwipeProtocolTests/RequestTests.swift"),
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
        SDKRow("Autodetect", "order: IPS Enterprise, IPS, UniMag", "the same, then a passive head") {
            AutodetectState.allCases == [.ipsEnterprise, .ips, .unimag, .passive, .found, .failed]
        },
        SDKRow(
            "Autodetect", "very loud tones: warn people first",
            "the words come with the answer to `autodetect`"
        ) {
            AutodetectDriver.warning.contains("loud")
        },
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
            by: "AudioReadersTests/Life/AutodetectTests.swift"),
        SDKRow(
            "Autodetect", "`CardReaderAutodetectResultUniMag` (0)", "`unimag`",
            by: "AudioReadersTests/Life/AutodetectTests.swift"),
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
            by: "AudioReadersTests/Life/AutodetectTests.swift"),
        SDKRow(
            "Autodetect", "`CardReaderAutodetectResultFail` (3)", "`fail`",
            by: "AudioReadersTests/Life/AutodetectTests.swift"),
        SDKRow(
            "Autodetect", "keep the result yourself", "`remember_autodetect` keeps it over restarts",
            by: "SwipeDaemonTests/ConfigurationTests.swift"),
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
            by: "SwipeClientTests/DelegateTests.swift"),
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
            by: "AudioReadersTests/Life/AutodetectTests.swift"),
        SDKRow(
            "PGSwipeDelegate", "`deviceAutodetectComplete:`", "`autodetect_complete`, with `result`",
            by: "AudioReadersTests/Life/AutodetectTests.swift"),
        SDKRow(
            "PGAudioJackConnectionDetector", "`audioJackObjectAttached`, `audioJackObjectDetached`",
            "`connect` and `disconnect`, once the plug no longer bounces",
            by: "ReaderKitTests/JackDebounceTests.swift"),
        SDKRow(
            "PGAudioJackConnectionDetector", "`isObjectPluggedIn`", "the reader is listed by `readers`",
            by: "EventServerTests/StreamTests.swift"),
    ]
}
