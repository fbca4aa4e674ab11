import AudioReaders
import ReaderKit
import ReaderTesting

/// The SDK's Android twin, its inner IPS reader, and the maker's own library for UniMag.
extension SDKRow {
    static let twins: [SDKRow] = android + innerIPS + makerEvents + makerCalls

    private static let android: [SDKRow] = [
        SDKRow(
            "Android", "`getDeviceType`: `UNIMAG`, `IPS`, `ENTERPRISE`",
            "`kind`: `unimag`, `ips`, `ips_enterprise`"
        ) {
            [
                UniMagDriver.descriptor.kind, IPSDriver<EncryptedIPS>.descriptor.kind,
                IPSDriver<EnterpriseIPS>.descriptor.kind,
            ]
                == AcousticProfile.Reader.allCases.map(\.rawValue)
        },
        SDKRow(
            "Android",
            "`onDeviceConnected`, `onDeviceActivationFinished`, `onDeviceReadyForSwipe`, `onDeviceUnreadyForSwipe`, "
                + "`onDeviceDeactivated`, `onDeviceDisconnected`, `onSwipedCard`",
            "`connect`, `activate`, `ready`, `unready`, `deactivate`, `disconnect`, `swipe`"
        ) {
            var bench = Given.uniMag(.awaitingSwipe) { $0.prompts = .none }
            bench.hears(Given.UniMag.packet)
            bench.hears([0x06])
            bench.unplug()
            return Given.names(bench.takeEvents()).filter { $0 != "identified" } == [
                "connect", "activate success", "ready", "swipe started", "card", "unready refreshing",
                "ready",
                "unready disconnected", "deactivate", "disconnect",
            ]
        },
        SDKRow("Android", "`getIsConnected`, `getIsActivated`, `getIsReadyForSwipe`", "`state`") {
            let ready = Given.uniMag(.awaitingSwipe).lifecycle.state == .ready
            return ready && Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }.lifecycle.state == .active
        },
        SDKRow(
            "Android", "`getDefaultMsg`", "the defaults of the texts, in swiped.conf(5)",
            by: "SwipeDaemonTests.ConfigurationTests/readsEachText"),
        SDKRow(
            "Android", "`setSwipeTimeout`, `setAlwaysAcceptSwipe`, `setActivateReaderOnConnect`",
            "`set`: in force at once"
        ) {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            var options = ReaderOptions()
            try? options.setSwipeTimeout(seconds: 4)
            let isTaken = bench.ask(.configure(options)) == .accepted()
            bench.hears([0x06])
            return isTaken && bench.takeEvents().last == .ready(expiresIn: .seconds(4))
        },
        SDKRow("Android", "`requestSwipe`, `cancelSwipeRequest`", "`request_swipe`, `cancel_swipe`") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            return bench.ask(.requestSwipe()) == .accepted() && bench.ask(.cancelSwipe) == .accepted()
        },
        SDKRow(
            "Android", "`stopSwipeController`, `restartSwipeController`",
            "`set_audio_reader` with `none`, and with the type again",
            by: "EndToEndTests.JackTests/typeNoneLeavesTheInputAlone"),
        SDKRow(
            "Android",
            "`ReasonUnreadyForSwipe`: `DISCONNECTED`, `TIMED_OUT`, `CANCELED`, `REFRESHING`, `SWIPE_DONE`",
            "`reason` of `unready`: `disconnected`, `timeout`, `cancelled`, `refreshing`, `swiped`"
        ) {
            var reasons: [ReaderEvent] = []
            for event in [ReaderRequest.cancelSwipe, nil] {
                var bench = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
                if let event { bench.ask(event) } else { bench.timeOut() }
                reasons += bench.takeEvents()
            }
            var swiped = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            swiped.hears(Given.UniMag.packet)
            var renewed = Given.uniMag(.awaitingSwipe)
            renewed.timeOut()
            renewed.hears([0x06])
            renewed.unplug()
            reasons += swiped.takeEvents() + renewed.takeEvents()
            return Given.names(reasons).filter { $0.hasPrefix("unready") } == [
                "unready cancelled", "unready timeout", "unready swiped", "unready refreshing",
                "unready disconnected",
            ]
        },
        SDKRow(
            "Android", "`updateCompatableDeviceList`",
            "none: `profile_file` has what differs from machine to machine",
            by: "AudioReadersTests.AcousticProfileTests/corrections"),
    ]

    private static let innerIPS: [SDKRow] = [
        SDKRow(
            "PGIpsReader", "`initReader`, `openReader`, `startListeningForSwipe`",
            "from when it is plugged in"
        ) {
            Given.ips().lifecycle.state == .ready
        },
        SDKRow(
            "PGIpsReader", "`stopListeningForSwipe`, `closeReader`", "`set_audio_reader` with `none`",
            by: "EndToEndTests.JackTests/typeNoneLeavesTheInputAlone"),
        SDKRow(absent: "PGIpsReader", "`setBackRound:`", "none: a daemon is always in the background"),
        SDKRow("PGIpsReader", "`setMaxVolume`", "`volume_to_max`, for as long as a test takes") {
            var bench = Given.ips()
            bench.ask(.testCommunication)
            let isRaised = bench.isVolumeRaised
            bench.timeOut()
            while bench.timer != nil { bench.timeOut() }
            return isRaised && !bench.isVolumeRaised
        },
        SDKRow("PGIpsReader", "`testCommunication`", "`test_communication`") {
            var bench = Given.ips()
            return Given.isAccepted(bench.ask(.testCommunication))
                && Given.refusal(bench.ask(.testCommunication)) == .busy
        },
        SDKRow("PGIpsReader", "`readerIsDecoding`", "`swipe_start`") {
            var bench = Given.ips()
            _ = bench.takeEvents()
            bench.hears(SimulatedPackets.ipsBadSwipe)
            return Given.names(bench.takeEvents()).first == "swipe started"
        },
        SDKRow("PGIpsReader", "`gotIpsSwipe:`, `readerCardInfo`", "`swipe`") {
            var generator = SeededGenerator(state: 2)
            var bench = Given.enterprise()
            bench.hears(SimulatedPackets.ips(&generator))
            return bench.takeEvents().contains { UniMagBench.isSwipe($0) }
        },
        SDKRow("PGIpsReader", "`readerErrorDisplay:`", "`swipe` without a card, and the reason in the log") {
            var bench = Given.ips()
            bench.hears(Array(SimulatedPackets.ipsBadSwipe.dropLast()) + [0])
            return Given.names(bench.takeEvents()).suffix(2) == ["malformed", "unreadable"]
        },
        SDKRow("PGIpsReader", "`deviceUnavailable`", "`test_communication` fails with the reason") {
            var bench = Given.ips()
            bench.ask(.testCommunication)
            bench.fail(.busy(detail: "hw:desk"))
            guard case .testCompleted(false, why: let why?)? = bench.takeEvents().last else { return false }
            return why.contains("busy")
        },
    ]

    private static let makerEvents: [SDKRow] = [
        SDKRow("uniMag.h, notifications", "`uniMagAttachment`, `uniMagDetachment`", "`connect`, `disconnect`")
        {
            var bench = Given.uniMag { $0.activateOnAttach = false }
            bench.unplug()
            return Given.names(bench.takeEvents()) == ["connect", "disconnect"]
        },
        SDKRow("uniMag.h, notifications", "`uniMagPowering`", "`prompt` of kind `initializing`") {
            Given.uniMag(.poweringUp).prompt?.kind == .initializing
        },
        SDKRow(
            "uniMag.h, notifications", "`uniMagDidConnect`, `uniMagTimeout`, `uniMagInsufficientPower`",
            "`activate` with `success`, `timeout`, `volume_too_low`"
        ) {
            var answered = Given.uniMag(.awaitingSwipe)
            var mute = Given.uniMag(.connecting)
            for _ in 0..<100 where mute.driver.state != .attached { mute.timeOut() }
            var quiet = Given.uniMag(.raisingVolume)
            quiet.fail(.volumeTooLow)
            let events = answered.takeEvents() + mute.takeEvents() + quiet.takeEvents()
            return Given.names(events).filter { $0.hasPrefix("activate") } == [
                "activate success", "activate timeout", "activate volume_too_low",
            ]
        },
        SDKRow(
            "uniMag.h, notifications", "`uniMagDidDisconnect`",
            "`deactivate`; where power-up is automatic one more follows, and a reader that agrees to no request then is "
                + "left without power"
        ) {
            var bench = Given.uniMag(.requesting) { $0.prompts = .none }
            _ = bench.takeEvents()
            for _ in 0..<3 { bench.timeOut() }
            let isLost = Given.names(bench.takeEvents()) == ["deactivate"] && bench.driver.state.isActivating
            while bench.timer != nil {
                if bench.driver.state == .connecting {
                    bench.hears(Given.UniMag.version)
                } else {
                    bench.timeOut()
                }
            }
            return isLost && bench.driver.state == .attached && !bench.isToneOn
                && Given.names(bench.takeEvents()).filter { $0 != "identified" } == [
                    "activate success", "deactivate",
                ]
        },
        SDKRow(
            "uniMag.h, notifications", "`uniMagMonoAudioError`",
            "none: `activate` with `timeout`, see `UMRET_MONO_AUDIO`",
            by: "EndToEndTests.SDKPromiseTests/whatIsMixedToMonoPowersNothing"),
        SDKRow(
            "uniMag.h, notifications", "`uniMagSwipe`, `uniMagTimeoutSwipe`",
            "`ready`, `unready` with `timeout`"
        ) {
            var bench = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            bench.timeOut()
            return Given.names(bench.takeEvents()).suffix(2) == ["ready", "unready timeout"]
        },
        SDKRow("uniMag.h, notifications", "`uniMagDataProcessing`", "`swipe_start`") {
            var bench = Given.uniMag(.receiving)
            return bench.takeEvents().last == .swipeStarted
        },
        SDKRow(
            "uniMag.h, notifications", "`uniMagDidReceiveData`, `uniMagInvalidSwipe`",
            "`swipe`, with and without a card"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.hears(Given.UniMag.packet)
            bench.hears([0x06])
            bench.hears(Array(Given.UniMag.packet.dropLast(4)) + [0, 0, 0, 3])
            let names = Given.names(bench.takeEvents())
            return names.contains("card") && names.contains("unreadable")
        },
        SDKRow(
            "uniMag.h, notifications", "`uniMagCmdSending`, `uniMagDidReceiveCmd`, `uniMagCommandTimeout`",
            "none: what is said to a reader is the daemon's business; each command up to three times"
        ) {
            var bench = Given.uniMag(.connecting) { $0.profiles = [AcousticProfile.uniMagProfiles[0]] }
            _ = bench.takeEvents()
            for _ in 0..<3 { bench.timeOut() }
            let said = bench.takeCommands().count { if case .play = $0 { true } else { false } }
            return said == 3 && bench.takeEvents().contains(.activate(.timeout, why: nil))
        },
        SDKRow(absent: "uniMag.h, notifications", "`uniMagSystemMessage`", "none; the log"),
    ]

    private static let makerCalls: [SDKRow] = [
        SDKRow(
            "uniMag.h, calls", "`startUniMag:`, `setAutoConnect:`",
            "`activate` and `deactivate`, `activate_on_attach`"
        ) {
            var bench = Given.uniMag { $0.activateOnAttach = false }
            let waits = bench.driver.state == .attached
            let isTaken = bench.ask(.activate) == .accepted() && bench.driver.state.isActivating
            var active = Given.uniMag(.awaitingSwipe) { $0.activateOnAttach = false }
            return waits && isTaken && active.ask(.deactivate) == .accepted()
                && active.driver.state == .attached
        },
        SDKRow("uniMag.h, calls", "`cancelTask`", "`cancel_activation`, `cancel_swipe`") {
            var bench = Given.uniMag(.prompting)
            bench.ask(.cancelActivation)
            var ready = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            ready.ask(.cancelSwipe)
            return bench.takeEvents().last == .activate(.cancelled, why: nil) && bench.prompt == nil
                && ready.takeEvents().last == .unready(.cancelled)
        },
        SDKRow("uniMag.h, calls", "`setAutoAdjustVolume:`", "`volume_to_max`") {
            var bench = Given.uniMag(.raisingVolume)
            var left = Given.uniMag(.poweringUp, volume: 100) { $0.volumeToMax = false }
            return bench.takeCommands() == [.raiseVolume] && !left.takeCommands().contains(.raiseVolume)
        },
        SDKRow("uniMag.h, calls", "`requestSwipe`", "`request_swipe`") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            bench.ask(.requestSwipe(timeout: .seconds(7)))
            bench.hears([0x06])
            return bench.takeEvents().last == .ready(expiresIn: .seconds(7))
        },
        SDKRow(
            "uniMag.h, calls", "`getConnectionStatus`, `getRunningTask`, `isReaderAttached`",
            "`state`, for as long as the reader is listed"
        ) {
            let states = [
                Given.uniMag(.connecting), Given.uniMag(.active) { $0.alwaysAcceptSwipe = false },
                Given.uniMag(.awaitingSwipe), Given.uniMag(.receiving),
            ].map(\.lifecycle.state)
            return states == [.attached, .active, .ready, .swiping]
        },
        SDKRow("uniMag.h, calls", "`getVolumeLevel`", "none: the daemon looks for itself before it asks") {
            Given.uniMag(.prompting, volume: 98).prompt?.kind == .activation
                && Given.uniMag(.prompting, volume: 99).prompt?.kind == .activationAtMaximumVolume
        },
        SDKRow(
            "uniMag.h, calls", "`getWave`, `setWavePath:`", "`swipectl audio probe`, without card data",
            by: "EndToEndTests.AudioProbeTests/reportsWhatAReaderAnswers",
            "EndToEndTests.AudioProbeTests/writesNothingOfACard"),
        SDKRow(
            "uniMag.h, calls", "`sendCommandGetVersion`, `UMREADER_…`",
            "`firmware`, what the reader says of itself; one kind for all of them"
        ) {
            let bench = Given.uniMag(.awaitingSwipe)
            return bench.lifecycle.details.firmware == "TEST SHUTTLE"
        },
        SDKRow(
            absent: "uniMag.h, calls",
            "the other commands, `updateFirmware`, `UMRET_UF_…`, `getFlagByte`, `setDeferredActivateAudioSession:`",
            "none: a reader's settings and firmware are left as they are"),
        SDKRow(
            "uniMag.h, calls", "`UMRET_NO_READER`", "`reader.inactive`: nothing is in the jack",
            by: "EndToEndTests.AutodetectChainTests/isAskedFor"),
        SDKRow("uniMag.h, calls", "`UMRET_LOW_VOLUME`", "`activate` with `volume_too_low`") {
            var bench = Given.uniMag(.raisingVolume)
            bench.fail(.volumeTooLow)
            return bench.takeEvents().contains(.activate(.volumeTooLow, why: nil)) && !bench.isToneOn
        },
        SDKRow(
            "uniMag.h, calls", "`setSwipeTimeoutDuration:0`, no end",
            "refused; `always_accept_swipe` has no end"
        ) {
            var options = ReaderOptions()
            do throws(RequestRefusal) { try options.setSwipeTimeout(seconds: 0) } catch {
                return error.code == .outOfRange && error.reason.contains("3 to 20")
            }
            return false
        },
        SDKRow(
            "uniMag.h, calls", "`UMRET_SDK_BUSY`, `UMRET_ALREADY_CONNECTED`",
            "refused while it is powered up, and afterwards"
        ) {
            var rising = Given.uniMag(.connecting)
            var risen = Given.uniMag(.awaitingSwipe)
            return Given.refusal(rising.ask(.activate)) == .busy
                && Given.refusal(risen.ask(.activate)) == .wrongState
        },
        SDKRow("uniMag.h, calls", "`UMRET_NOT_CONNECTED`", "a request for a swipe without power is refused") {
            var bench = Given.uniMag {
                $0.activateOnAttach = false
                $0.alwaysAcceptSwipe = false
            }
            return Given.refusal(bench.ask(.requestSwipe())) == .notPowered
        },
        SDKRow("uniMag.h, calls", "`UMRET_SUCCESS`", "the request's answer; how it ended is an event") {
            var bench = Given.uniMag { $0.activateOnAttach = false }
            return bench.ask(.activate) == .accepted()
                && !Given.names(bench.takeEvents()).contains { $0.hasPrefix("activate") }
        },
        SDKRow(
            "uniMag.h, calls", "`UMRET_MONO_AUDIO`",
            "none: nothing shows that the output is mixed to mono. The tone cancels itself then, and `activate` ends with "
                + "`timeout`; `channels` of a profile plays it otherwise",
            by: "EndToEndTests.SDKPromiseTests/whatIsMixedToMonoPowersNothing",
            "EndToEndTests.SDKPromiseTests/channelsThatAreAlikeOutlastAMonoOutput"),
        SDKRow("uniMag.h, calls", "`UMRET_INVALID_ARG`", "`params.invalid`, the range named") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            return Given.refusal(bench.ask(.requestSwipe(timeout: .seconds(2)))) == .outOfRange
        },
        SDKRow(
            "uniMag.h, calls", "`UMRET_NOT_APPLICABLE`",
            "`test_communication` of a UniMag is refused: its power-up is the test"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            return Given.refusal(bench.ask(.testCommunication)) == .notApplicable
        },
    ]
}
