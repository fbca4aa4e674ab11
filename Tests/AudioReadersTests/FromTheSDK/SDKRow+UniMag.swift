import AudioReaders
import ReaderKit

extension SDKRow {
    static let uniMag: [SDKRow] = activation + requests

    private static let activation: [SDKRow] = [
        SDKRow("PGSwipeUniMag", "`activateReaderOnAttach`, on", "`activate_on_attach = yes`, the default") {
            ReaderOptions().activateOnAttach && Given.uniMag(.prompting).driver.state == .prompting
        },
        SDKRow(
            "PGSwipeUniMag", "`activateReaderOnAttach`, off",
            "`activate_on_attach = no`: waits for `activate`"
        ) {
            var bench = Given.uniMag { $0.activateOnAttach = false }
            bench.quiet()
            return bench.driver.state == .attached && bench.timer == nil && bench.takeCommands() == []
        },
        SDKRow(
            "PGSwipeUniMag", "a headphone is powered up as well",
            "the same: `activate` with result `timeout` ends it"
        ) {
            var bench = Given.uniMag(.connecting)
            for _ in 0..<100 where bench.driver.state != .attached { bench.timeOut() }
            return Given.names(bench.takeEvents()).contains("activate timeout") && !bench.isToneOn
        },
        SDKRow(
            "PGSwipeUniMag", "`automaticallySetVolumeToMaxOnActivate`, on",
            "`volume_to_max = yes`, the default; put back afterwards"
        ) {
            var bench = Given.uniMag(.raisingVolume)
            let isRaised = ReaderOptions().volumeToMax && bench.takeCommands() == [.raiseVolume]
            bench.ask(.cancelActivation)
            return isRaised && bench.takeCommands() == [.restoreVolume]
        },
        SDKRow(
            "PGSwipeUniMag", "`automaticallySetVolumeToMaxOnActivate`, off",
            "`volume_to_max = no`: never touched"
        ) {
            var bench = Given.uniMag(.active, volume: 100) {
                $0.volumeToMax = false
                $0.alwaysAcceptSwipe = false
            }
            bench.ask(.deactivate)
            return !bench.takeCommands().contains { $0 == .raiseVolume || $0 == .restoreVolume }
        },
        SDKRow("PGSwipeUniMag", "`powerUpDevice:YES`", "`activate`") {
            var bench = Given.uniMag { $0.activateOnAttach = false }
            return Given.isAccepted(bench.ask(.activate)) && bench.driver.state.isActivating
        },
        SDKRow(
            "PGSwipeUniMag", "`powerUpDevice:YES` during or after `deviceConnected:`",
            "`activate`, while the question is open or about to be asked: it is the answer yes",
            by: "AudioReadersTests.UniMagAnswerTests/activateIsTheAnswer",
            "EndToEndTests.SettingsTests/toPowerUpIsToSayYes"),
        SDKRow("PGSwipeUniMag", "`powerUpDevice:YES`, twice", "refused: it is powered up already") {
            var bench = Given.uniMag(.awaitingSwipe)
            return Given.refusal(bench.ask(.activate)) == .wrongState
        },
        SDKRow("PGSwipeUniMag", "`powerUpDevice:NO`", "`cancel_activation`, result `cancelled`") {
            var bench = Given.uniMag(.connecting)
            bench.ask(.cancelActivation)
            return Given.names(bench.takeEvents()).last == "activate cancelled" && !bench.isToneOn
        },
        SDKRow("PGSwipeUniMag", "`powerUpDevice:NO`, nothing to cancel", "refused") {
            var bench = Given.uniMag { $0.activateOnAttach = false }
            return Given.refusal(bench.ask(.cancelActivation)) == .wrongState
        },
        SDKRow("PGSwipeUniMag", "`powerDown`", "`deactivate`") {
            var bench = Given.uniMag(.awaitingSwipe) { $0.activateOnAttach = false }
            _ = bench.takeEvents()
            return bench.ask(.deactivate) == .accepted() && !bench.isToneOn
                && Given.names(bench.takeEvents()) == ["unready deactivated", "deactivate"]
        },
        SDKRow(
            "PGSwipeUniMag", "`powerDown` with `activateReaderOnAttach`",
            "`deactivate` is accepted with a warning, and the reader is powered up again"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            let warning = Given.warning(bench.ask(.deactivate))
            return warning == UniMagDriver.reactivationWarning && bench.driver.state.isActivating
        },
        SDKRow(
            "PGSwipeUniMag", "`powerDown`, a `deviceConnected:` follows",
            "none follows: the reader was connected all the time"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            _ = bench.takeEvents()
            bench.ask(.deactivate)
            bench.quiet()
            return !Given.names(bench.takeEvents()).contains("connect")
        },
        SDKRow(
            "PGSwipeUniMag", "`messageOptions`", "settings of the input's section",
            by: "SwipeDaemonTests.ConfigurationTests/readsHowAReaderBehaves"),
        SDKRow(
            "PGSwipeUniMag", "`messageOptions`, set by the program",
            "`set` with `activate_without_prompting`; texts of its own a program shows for the `kind` of a `prompt`",
            by: "EndToEndTests.SettingsTests/untilTheReload"),
        SDKRow(
            "PGSwipeUniMag", "the properties, read", "`get`, with where each is from",
            by: "EndToEndTests.SettingsTests/untilTheReload",
            "SwipeClientTests.DeviceRequestTests/settingsNeedNoClaim"),
        SDKRow(
            "PGSwipeUniMag", "battery: less for `alwaysAcceptSwipe` off, and for `powerDown`",
            "`always_accept_swipe = no` asks for no swipe; `deactivate` ends the tone and closes the microphone",
            by: "EndToEndTests.UniMagReaderTests/onRequest"),
        SDKRow("PGSwipeUniMag", "power by a steady tone", "the tone plays from power-up to power-down") {
            Given.uniMag(.poweringUp).isToneOn && Given.uniMag(.awaitingSwipe).isToneOn
                && !Given.uniMag(.raisingVolume).isToneOn
        },
    ]

    private static let requests: [SDKRow] = [
        SDKRow(
            "PGSwipeUniMag", "`alwaysAcceptSwipe`, on",
            "`always_accept_swipe = yes`, the default: renewed at once"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.timeOut()
            bench.hears([0x06])
            let names = Given.names(bench.takeEvents()).suffix(2)
            return ReaderOptions().alwaysAcceptSwipe && names == ["unready refreshing", "ready"]
        },
        SDKRow(
            "PGSwipeUniMag", "`alwaysAcceptSwipe`, after a swipe",
            "`unready` with reason `refreshing`, then `ready`"
        ) {
            var bench = Given.uniMag(.awaitingSwipe)
            bench.hears(Given.UniMag.packet)
            bench.hears([0x06])
            return Given.names(bench.takeEvents()).suffix(3) == ["card", "unready refreshing", "ready"]
        },
        SDKRow(
            "PGSwipeUniMag", "`alwaysAcceptSwipe`, off", "`always_accept_swipe = no`: takes swipes on request"
        ) {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            _ = (bench.takeEvents(), bench.takeCommands())
            // What clients hear; that a reader talks unasked is only counted.
            func told() -> [String] {
                Given.names(bench.takeEvents()).filter { $0 != "identified" && $0 != "malformed" }
            }
            // Nobody asked: nothing is ready, nothing is asked of the reader, and what it says is no card.
            bench.hears(Given.UniMag.packet)
            bench.pass(.seconds(60))
            let isAtRest = told().isEmpty && bench.takeCommands().isEmpty
            // Somebody asked for one: there is one, and no other after it.
            bench.ask(.requestSwipe())
            bench.hears([0x06])
            bench.hears(Given.UniMag.packet)
            bench.pass(.seconds(60))
            let asked = told()
            bench.hears(Given.UniMag.packet)
            return isAtRest && asked == ["ready", "swipe started", "card", "unready swiped"]
                && told().isEmpty && bench.driver.state == .active && bench.timer == nil
        },
        SDKRow("PGSwipeUniMag", "`alwaysAcceptSwipe`, changed at work", "`set`: in force at once") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            bench.ask(.configure(ReaderOptions()))
            return bench.driver.state == .requesting
        },
        SDKRow("PGSwipeUniMag", "`requestSwipe`", "`request_swipe`") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            bench.ask(.requestSwipe())
            bench.hears([0x06])
            return bench.takeEvents().last == .ready(expiresIn: .seconds(20))
        },
        SDKRow("PGSwipeUniMag", "`requestSwipe` with `alwaysAcceptSwipe`", "refused, with the reason") {
            var bench = Given.uniMag(.awaitingSwipe)
            return Given.refusal(bench.ask(.requestSwipe())) == .automatic
        },
        SDKRow("PGSwipeUniMag", "`requestSwipe` while one runs", "refused: one is asked for already") {
            var bench = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            return Given.refusal(bench.ask(.requestSwipe())) == .busy
        },
        SDKRow("PGSwipeUniMag", "`requestSwipe` without power", "refused: not powered up") {
            var bench = Given.uniMag {
                $0.activateOnAttach = false
                $0.alwaysAcceptSwipe = false
            }
            return Given.refusal(bench.ask(.requestSwipe())) == .notPowered
        },
        SDKRow("PGSwipeUniMag", "`cancelSwipeRequest`", "`cancel_swipe`, `unready` with reason `cancelled`") {
            var bench = Given.uniMag(.awaitingSwipe) { $0.alwaysAcceptSwipe = false }
            _ = bench.takeCommands()
            bench.ask(.cancelSwipe)
            return Given.names(bench.takeEvents()).last == "unready cancelled" && bench.timer == nil
                // Or the reader would send a card that nobody waits for.
                && bench.takeCommands().count { Given.isBurst($0) } == 1
        },
        SDKRow("PGSwipeUniMag", "`cancelSwipeRequest` with `alwaysAcceptSwipe`", "refused, with the reason") {
            var bench = Given.uniMag(.awaitingSwipe)
            return Given.refusal(bench.ask(.cancelSwipe)) == .automatic
        },
        SDKRow("PGSwipeUniMag", "`cancelSwipeRequest` without a request", "refused") {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            return Given.refusal(bench.ask(.cancelSwipe)) == .wrongState
        },
        SDKRow("PGSwipeUniMag", "`setSwipeTimeoutDuration:` default 20", "`swipe_timeout_s = 20`") {
            ReaderOptions().swipeTimeout == .seconds(20)
        },
        SDKRow(
            "PGSwipeUniMag", "`setSwipeTimeoutDuration:` 3 to 20",
            "`swipe_timeout_s`, `timeout_s`; others refused, the range named"
        ) {
            var bench = Given.uniMag(.active) { $0.alwaysAcceptSwipe = false }
            return [2, 21].allSatisfy {
                Given.refusal(bench.ask(.requestSwipe(timeout: .seconds($0)))) == .outOfRange
            }
                && Given.isAccepted(bench.ask(.requestSwipe(timeout: .seconds(3))))
        },
        SDKRow("PGSwipeUniMag", "the timeout also counts with `alwaysAcceptSwipe`", "the same") {
            var bench = Given.uniMag(.awaitingSwipe) { options in
                try? options.setSwipeTimeout(seconds: 5)
            }
            return bench.takeEvents().last == .ready(expiresIn: .seconds(5)) && bench.timer == .seconds(5)
        },
    ]

    static let messages: [SDKRow] = [
        SDKRow(
            "PGSwipeUniMagMessageOptions", "`activateReaderWithoutPromptingUser`, off",
            "`activate_without_prompting = no`, the default: a `prompt` first"
        ) {
            var bench = Given.uniMag(.prompting)
            return !ReaderOptions().activateWithoutPrompting && bench.takeCommands() == []
                && bench.prompt?.kind.isQuestion == true
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "`activateReaderWithoutPromptingUser`, on",
            "`activate_without_prompting = yes`: no question"
        ) {
            let bench = Given.uniMag(.prompting) { $0.activateWithoutPrompting = true }
            return bench.driver.state == .raisingVolume && bench.prompt == nil
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "people decline",
            "`answer_prompt` with `decline`: `activate` result `declined`"
        ) {
            var bench = Given.uniMag(.prompting)
            bench.ask(.answerPrompt(id: bench.prompt?.id ?? 0, .decline))
            return Given.names(bench.takeEvents()).suffix(2) == [
                "prompt closed declined", "activate declined",
            ]
                && bench.takeCommands() == []
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "no client is there",
            "after `prompt_timeout_s`: `activate` result `declined`"
        ) {
            var bench = Given.uniMag(.prompting)
            let waits = bench.timer == .seconds(30)
            bench.timeOut()
            return waits
                && Given.names(bench.takeEvents()).suffix(2) == [
                    "prompt closed expired", "activate declined",
                ]
        },
        SDKRow("PGSwipeUniMagMessageOptions", "–", "an answer to a prompt that is not open is refused") {
            var bench = Given.uniMag(.prompting)
            return Given.refusal(bench.ask(.answerPrompt(id: 99, .accept))) == .noSuchPrompt
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "`cardReaderActivationPrompt`",
            "`activation_prompt`: where the volume is going to change"
        ) {
            Given.uniMag(.prompting).prompt?.kind == .activation
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "`cardReaderActivationAtMaxVolumePrompt`",
            "`activation_at_maximum_volume_prompt`: where it stays"
        ) {
            Given.uniMag(.prompting, volume: 100).prompt?.kind == .activationAtMaximumVolume
                && Given.uniMag(.prompting) { $0.volumeToMax = false }.prompt?.kind
                    == .activationAtMaximumVolume
        },
        SDKRow("PGSwipeUniMagMessageOptions", "a prompt set to nil", "an empty text: no question, no message")
        {
            let asked = Given.uniMag(.prompting) { $0.prompts = .none }
            let unchanged = Given.uniMag(.prompting, volume: 100) { $0.prompts = .none }
            var mute = Given.uniMag(.connecting) { $0.prompts = .none }
            for _ in 0..<100 where mute.driver.state != .attached { mute.timeOut() }
            var quiet = Given.uniMag(.raisingVolume) { $0.prompts = .none }
            quiet.fail(.volumeTooLow)
            let isAsked = asked.driver.state != .raisingVolume || unchanged.driver.state != .raisingVolume
            let told = [asked, unchanged, Given.uniMag(.poweringUp) { $0.prompts = .none }, mute, quiet]
            return !isAsked && mute.driver.state == .attached && quiet.driver.state == .attached
                && told.allSatisfy { $0.prompt == nil }
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "`showInitializingReaderMessage`",
            "`initializing_message`: a `prompt` while the reader powers up, then `prompt_closed`"
        ) {
            let shown = Given.uniMag(.poweringUp).prompt?.kind == .initializing
            return shown && Given.uniMag(.awaitingSwipe).prompt == nil
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "`cardReaderTimeoutMessage`",
            "`timeout_message`: a `prompt` that any answer closes"
        ) {
            var bench = Given.uniMag(.connecting)
            for _ in 0..<100 where bench.driver.state != .attached { bench.timeOut() }
            guard let prompt = bench.prompt, prompt.kind == .timeout else { return false }
            return Given.isAccepted(bench.ask(.answerPrompt(id: prompt.id, .accept))) && bench.prompt == nil
        },
        SDKRow("PGSwipeUniMagMessageOptions", "`volumeTooLowMessage`", "`volume_too_low_message`: a `prompt`")
        {
            var bench = Given.uniMag(.raisingVolume)
            bench.fail(.volumeTooLow)
            return bench.prompt?.kind == .volumeTooLow
        },
        SDKRow("PGSwipeUniMagMessageOptions", "each text", "configurable, each in its own place") {
            func change(_ options: inout ReaderOptions) {
                options.prompts.activation = "1"
                options.prompts.activationAtMaximumVolume = "2"
                options.prompts.initializing = "3"
                options.prompts.timeout = "4"
                options.prompts.volumeTooLow = "5"
                options.activateOnAttach = false
            }
            var mute = Given.uniMag(.connecting, change)
            for _ in 0..<100 where mute.driver.state != .attached { mute.timeOut() }
            var quiet = Given.uniMag(.raisingVolume, change)
            quiet.fail(.volumeTooLow)
            let shown = [
                Given.uniMag(.prompting, change), Given.uniMag(.prompting, volume: 100, change),
                Given.uniMag(.poweringUp, change), mute, quiet,
            ].map { $0.prompt?.text }
            return shown == ["1", "2", "3", "4", "5"]
        },
        SDKRow(
            "PGSwipeUniMagMessageOptions", "`resetToDefaults`",
            "`reload` ends what was `set`; settings that are taken out of the configuration are the defaults",
            by: "EndToEndTests.SDKPromiseTests/settingsThatAreTakenOutAreTheDefaults",
            "EndToEndTests.SettingsTests/untilTheReload"),
    ]
}
