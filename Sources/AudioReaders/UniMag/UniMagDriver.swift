package import ReaderKit
import ReaderPackets
import StateMachine

/// A UniMag or Shuttle: lives on a tone, is asked for each swipe.
///
///     attached → volume → prompt → tone, power-up → handshake → active → request → awaiting → packet → request …
///
/// The life is that of the payment SDK (`docs/from-the-sdk.md`), the sound that of an ``AcousticProfile``. No reader was
/// at hand: what it says and when is an ASSUMPTION wherever ``UniMagCommand`` and the profiles say so.
package struct UniMagDriver: ReaderDriver {
    package static let descriptor = DriverDescriptor(
        name: "unimag", kind: "unimag",
        matches: [
            DeviceMatch(
                bus: .audio, model: "ID TECH UniMag or Shuttle",
                support: .shouldWork(why: "the maker's packets; how they sound is an assumption"))
        ])

    /// From here on the volume counts as its maximum: rounding takes the rest, as in the player.
    static let loudest = 99
    /// How long the first sound may take before the volume counts as unknown.
    static let volumeGrace = Duration.milliseconds(500)
    /// How long the volume may take to be what it was set to: the command waits for others, the card's mixer is opened, the
    /// old volume is on the disk first, and a block of sound says what is set now. A disk alone may take a second.
    static let volumeSettling = Duration.seconds(3)
    /// ASSUMPTION: what a reader takes before it answers. ID TECH names no time.
    static let thinkingTime = Duration.milliseconds(400)
    /// Room for the longest answer to a command.
    static let longestAnswer = 64
    /// How often a command is said before nobody is there.
    static let mostTries = 3
    /// How often a reader that fell silent, or refuses its requests, is powered up again of itself before it has agreed
    /// to one again. An answer to the handshake is not enough: such a reader would be powered up without end.
    static let mostRevivals = 1

    var machine = UniMagLife.machine()
    var options: ReaderOptions
    var details = ReaderDetails(model: "UniMag or Shuttle")
    var prompts = PromptDesk()
    /// What is tried, in this order, until the reader answers.
    var profiles: [AcousticProfile]
    var attempt = 0
    var revivals = 0
    /// Whether it was powered up: a tone plays, or has woken it and may still be followed by a burst.
    var isPowered = false
    var isVolumeRaised = false
    /// The card's volume as last seen since this activation began to look; nil before that, and where none is told.
    var volume: Int?
    /// Whether a volume at its maximum may still be the one that was raised: putting it back takes its time, and blocks of
    /// sound that say so wait.
    var mayBeRaisedYet = false
    private var continuity = SoundContinuity()
    var ear: ReaderEar

    package init(_ device: DeviceIdentity) { self.init(device, options: ReaderOptions()) }

    package init(_ device: DeviceIdentity, options: ReaderOptions) {
        self.options = options
        profiles = Self.profiles(options)
        ear = Self.ear(profiles[0])
    }

    package var state: UniMagState { machine.state.state }
    var profile: AcousticProfile { profiles[min(attempt, profiles.count - 1)] }

    package mutating func start() -> [DriverAction] {
        [.signal(.identified(details))] + (options.activateOnAttach ? beginActivation() : [])
    }

    package mutating func receive(_ block: SampleBlock) -> [DriverAction] {
        let (follows, losses) = continuity.note(block)
        volume = block.playbackVolume ?? volume
        // The card was opened behind whatever put the volume back.
        if block.firstFrame == 0 || !isLoudest { mayBeRaisedYet = false }
        var actions = losses + volumeSeen()
        guard listens else { return actions }
        let time = Int64(block.samples.count) * 1_000_000 / Int64(max(1, block.sampleRate))
        machine.change(to: machine.state.heard(.microseconds(time)))
        for sound in ear.hear(block, follows: follows) { actions += heard(sound) }
        return actions
    }

    /// Whether the reader could have anything to say.
    private var listens: Bool { state == .connecting || state.isActive }

    private mutating func heard(_ sound: ReaderEar.Heard) -> [DriverAction] {
        switch state {
        case .connecting: greeted(sound)
        case .requesting: agreed(sound)
        case .awaitingSwipe, .receiving: swiping(sound)
        case .active, .attached, .checkingVolume, .prompting, .raisingVolume, .poweringUp: unasked(sound)
        }
    }

    package mutating func timerFired() -> [DriverAction] {
        switch state {
        case .checkingVolume: volumeKnown()
        case .prompting: prompts.close(.expired) + endActivation(.declined)
        case .raisingVolume: volumeRaised()
        case .poweringUp: poweredUp()
        case .connecting: greetingMissed()
        case .requesting: agreementMissed()
        case .awaitingSwipe: endRequest(.timeout)
        case .receiving: burstTooLong()
        case .attached, .active: []
        }
    }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        switch error {
        case .volumeTooLow: return state.isActivating ? endActivation(.volumeTooLow) : []
        // Such a card plays as loud as it can: whether that is enough, the reader tells by its answer.
        case .mixerMissing: return state == .raisingVolume ? powerUp() : []
        case .gone, .permissionDenied, .busy, .timedOut, .refused, .suspended, .closed, .unsupported,
            .playbackMissing, .system:
            break
        }
        if state.isActivating { return endActivation(.failed, why: SoundFault.words(error)) }
        return state.isActive ? lose() : []
    }

    /// What the configuration says, else the known ones; one of each way in which they differ beyond the rates, since those
    /// are the sound card's.
    private static func profiles(_ options: ReaderOptions) -> [AcousticProfile] {
        let chosen = options.profiles(for: .unimag)
        if chosen.count == 1 { return chosen }
        var found: [AcousticProfile] = []
        for profile in chosen.isEmpty ? AcousticProfile.uniMagProfiles : chosen {
            guard AcousticProfile.uniMagProfiles.contains(profile) else {
                found.append(profile)
                continue
            }
            let isTried = found.contains { atSearchRate($0, profile.name) == atSearchRate(profile) }
            if !isTried { found.append(atSearchRate(profile)) }
        }
        return found
    }

    private static func atSearchRate(_ profile: AcousticProfile, _ name: String? = nil) -> AcousticProfile {
        var profile = profile
        profile.name = name ?? profile.name
        (profile.captureRate, profile.playbackRate) = (searchRate, searchRate)
        return profile
    }

    private static let searchRate = 48_000

    /// Takes over what the options say of sound; for the next power-up.
    mutating func reloadProfiles() {
        profiles = Self.profiles(options)
        attempt = 0
        ear = Self.ear(profile)
    }

    static func ear(_ profile: AcousticProfile) -> ReaderEar {
        ReaderEar(profile, packetStarts: [IDTechFrame.start])
    }
}

/// What failed of the sound, in words for an operator.
enum SoundFault {
    static func words(_ error: DeviceError) -> String {
        switch error {
        case .playbackMissing(let detail): "the sound card does not play: \(detail)"
        case .busy(let detail): "the sound card is busy: \(detail)"
        case .mixerMissing(let detail): "the sound card has no volume: \(detail)"
        case .permissionDenied(let detail): "no access to the sound card: \(detail)"
        case .unsupported(let detail): "the sound card offers nothing that fits: \(detail)"
        case .volumeTooLow: "the volume is too low"
        case .timedOut: "the sound card did not accept the sound in time"
        case .refused: "this input cannot play"
        case .suspended: "the sound card was suspended"
        case .gone, .closed: "the sound card is gone"
        case .system(let errno, let operation): "\(operation) failed with error \(errno)"
        }
    }
}
