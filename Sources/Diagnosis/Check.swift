/// Every complaint that is looked for, in the order in which to act.
package enum Check: String, Sendable, CaseIterable {
    case noProc = "no-proc"
    case clock
    case lowPower = "low-power"
    case notInstalled = "not-installed"
    case daemonFailed = "daemon-failed"
    case daemonDown = "daemon-down"
    case socketLost = "socket-lost"
    case daemonSilent = "daemon-silent"
    case groupMissing = "group-missing"
    case groupNotYet = "group-not-yet"
    case noRole = "no-role"
    case statusOnly = "status-only"
    case notLoaded = "configuration-not-loaded"
    case needsRestart = "needs-restart"
    case container
    case virtualMachine = "virtual-machine"
    case noReader = "no-reader"
    case hidOff = "hid-off"
    case keyboardMode = "keyboard-mode"
    case unsupported
    case unlisted
    case ruleMissing = "rule-missing"
    case ruleShadowed = "rule-shadowed"
    case nodeNotOurs = "node-not-ours"
    case held
    case classTooLate = "class-too-late"
    case lineAbsent = "line-absent"
    case cardAbsent = "card-absent"
    case pipeAbsent = "pipe-absent"
    case equalCards = "equal-cards"
    case cardNotConfigured = "card-not-configured"
    case noMicrophone = "no-microphone"
    case soundServerHolds = "sound-server-holds"
    case soundServer = "sound-server"
    case encoderSilent = "encoder-silent"
    case keyExhausted = "key-exhausted"
    case suspended
    case failed
    case powerSaving = "power-saving"
    case muted
    case inputSource = "input-source"
    case automaticGain = "automatic-gain"
    case lowGain = "low-gain"
    case clipping
    case nothingInJack = "nothing-in-jack"
    case brokenProtocol = "broken-protocol"
    case lost
    case onlyNoise = "only-noise"
    case companionFailed = "companion-failed"
    case brokerUnreachable = "broker-unreachable"
    case messagesLost = "messages-lost"
    case untaken
    case closed = "microphone-closed"
    case claimed
    case encrypts
    case nothingSwiped = "nothing-swiped"

    /// What it is, in a few words.
    package var title: String {
        switch self {
        case .noProc: "/proc is not mounted"
        case .clock: "The clock is wrong"
        case .lowPower: "The power supply is too weak"
        case .notInstalled: "swiped is not installed"
        case .daemonFailed: "The daemon failed"
        case .daemonDown: "The daemon does not run"
        case .socketLost: "The daemon does not listen there"
        case .daemonSilent: "The daemon does not answer"
        case .groupMissing: "You are not in the group that may ask the daemon"
        case .groupNotYet: "Your new group is not effective yet"
        case .noRole: "The daemon gives you no role"
        case .statusOnly: "You may not see cards"
        case .notLoaded: "The configuration was changed and not loaded"
        case .needsRestart: "A change of the configuration needs a restart"
        case .container: "A container has no devices"
        case .virtualMachine: "The virtual machine was given no reader"
        case .noReader: "The kernel sees no reader"
        case .hidOff: "USB readers are switched off"
        case .keyboardMode: "The reader is in keyboard mode"
        case .unsupported: "The reader cannot be used as it is"
        case .unlisted: "A device that no driver lists"
        case .ruleMissing: "The udev rule is not installed"
        case .ruleShadowed: "Another udev rule overrides ours"
        case .nodeNotOurs: "The device does not belong to the daemon"
        case .held: "Another program has the device"
        case .classTooLate: "The daemon started before the kernel knew such devices"
        case .lineAbsent: "The serial line is not there"
        case .cardAbsent: "The configured sound card is not there"
        case .pipeAbsent: "A virtual reader's pipe is not there"
        case .equalCards: "Two equal sound cards may change places"
        case .cardNotConfigured: "A sound card is not in the configuration"
        case .noMicrophone: "The sound card has no input"
        case .soundServerHolds: "A sound server has the sound card"
        case .soundServer: "A sound server may take the sound card"
        case .encoderSilent: "The encoder does not answer"
        case .keyExhausted: "The reader has no key any more"
        case .suspended: "The reader did not wake up"
        case .failed: "The reader fails"
        case .powerSaving: "The device is switched off to save power"
        case .muted: "The input is muted"
        case .inputSource: "The sound card records from something else"
        case .automaticGain: "Automatic gain is on"
        case .lowGain: "The gain is low"
        case .clipping: "The gain is too high"
        case .nothingInJack: "Nothing is in the jack"
        case .brokenProtocol: "The reader says what it should not"
        case .lost: "Swipes are lost since the machine is too busy"
        case .onlyNoise: "No swipe could be read"
        case .companionFailed: "The gateway to pages, or the bridge to a broker, failed"
        case .brokerUnreachable: "The bridge has no broker"
        case .messagesLost: "The bridge lost swipes"
        case .untaken: "Nobody took the swipes"
        case .closed: "The microphone is closed"
        case .claimed: "Another client holds the reader"
        case .encrypts: "The reader encrypts"
        case .nothingSwiped: "Nothing was swiped"
        }
    }

    /// No fault by itself: told where a reader is named, to explain what is seen of it.
    package var onlyExplains: Bool {
        let explaining: Set<Check> = [
            .closed, .claimed, .encrypts, .nothingSwiped, .untaken,
        ]
        return explaining.contains(self)
    }
}
