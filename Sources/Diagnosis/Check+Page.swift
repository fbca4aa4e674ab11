extension Check {
    /// The rows of docs/troubleshooting.md that this check answers: a first cell, the bold words before a paragraph, or the words
    /// of a bullet before its colon. A test holds both against each other.
    package var rows: [String] {
        switch self {
        case .noProc: ["A chroot."]
        case .clock: ["events have a time that is years off"]
        case .lowPower: ["Raspberry Pi."]
        case .notInstalled, .daemonFailed, .daemonDown: ["no daemon listens there (exit status 3)"]
        case .socketLost, .daemonSilent: ["the same, and `systemctl status swiped` says `active`"]
        case .groupMissing, .groupNotYet, .noRole: ["permission denied (5)"]
        case .statusOnly: ["roles: status", "`swipe` without a number"]
        case .notLoaded, .needsRestart: ["a change of the configuration does nothing"]
        case .container: ["Container."]
        case .virtualMachine: ["A virtual machine."]
        case .noReader: ["no reader is attached"]
        case .hidOff: ["USB readers are switched off."]
        case .keyboardMode: ["It types into the window that has the focus."]
        case .unsupported, .failed: ["your reader, `failed` or `unsupported`"]
        case .unlisted: ["A device node, and no reader in `swipectl readers`."]
        case .ruleMissing, .ruleShadowed, .nodeNotOurs: ["Permission denied."]
        case .held: ["In use.", "A serial line is in use."]
        case .classTooLate: ["It is not there for the daemon, though it is plugged in."]
        case .lineAbsent: ["On a serial line", "A serial line is not listed at all."]
        case .cardAbsent, .cardNotConfigured: ["On a sound input"]
        case .pipeAbsent: ["A virtual reader is not listed."]
        case .equalCards: ["Two equal sound cards"]
        case .noMicrophone: ["Raspberry Pi."]
        case .soundServerHolds, .soundServer: ["Other programs take the sound card"]
        case .encoderSilent: ["An encoder does not answer", "An encoder is not read"]
        case .keyExhausted: ["No key, key exhausted."]
        case .suspended: ["after the machine slept"]
        case .powerSaving: ["the first swipe after a pause is lost, or a click is heard"]
        case .muted: ["The switch"]
        case .inputSource, .nothingInJack: ["The jack"]
        case .automaticGain, .lowGain, .clipping: ["The gain"]
        case .brokenProtocol:
            ["nothing at all, and `reader broke its protocol` in the log with `no card: …`"]
        case .lost: ["swipes are lost while the machine is busy"]
        case .onlyNoise:
            [
                "`swipe` with `parity`, `lrc`, `no start sentinel`", "`swipe_start` and no `swipe`",
                "only while a charger or a screen is connected",
            ]
        case .companionFailed: ["its service is `failed`"]
        case .brokerUnreachable: ["the broker gets nothing"]
        case .messagesLost: ["a broker's consumer misses swipes"]
        case .untaken: ["`swipe_untaken`"]
        case .closed: ["The microphone is closed."]
        case .claimed: ["a till gets nothing, `watch` shows swipes"]
        case .encrypts: ["`swipe`, `dukpt-tdes` or another scheme, no card"]
        case .nothingSwiped:
            [
                "nothing at all, on USB", "nothing at all, on a sound input",
                "nothing at all, on a serial line",
                "No sound arrives.",
                "The plug",
                "The wiring", "Look at it",
            ]
        }
    }
}
