import ReaderKit
import StateMachine

/// From the wish to power the reader up to its first answer, and the ways out.
extension UniMagDriver {
    /// - Parameter isOfItself: whether the settings say so, and nobody has asked for it now.
    mutating func beginActivation(isOfItself: Bool = true) -> [DriverAction] {
        guard state == .attached else { return [] }
        machine.change(to: .checkingVolume(UniMagLife.Wish(isOfItself: isOfItself)))
        reloadProfiles()
        return lookAtVolume()
    }

    /// What was seen earlier may be old: nobody looks while the microphone is closed, and people turn knobs meanwhile.
    private mutating func lookAtVolume() -> [DriverAction] {
        volume = nil
        return [
            .command(.sound(.listen)), .startTimer(mayBeRaisedYet ? Self.volumeSettling : Self.volumeGrace),
        ]
    }

    /// The card's volume was looked at.
    mutating func volumeSeen() -> [DriverAction] {
        switch state {
        case .checkingVolume: isLoudest && mayBeRaisedYet ? [] : volumeKnown()
        case .raisingVolume: isLoudest ? powerUp() : []
        case .attached, .prompting, .poweringUp, .connecting, .active, .requesting, .awaitingSwipe,
            .receiving:
            []
        }
    }

    var isLoudest: Bool { volume.map { $0 >= Self.loudest } ?? false }

    /// Which of the two questions is asked: whether the volume is going to change under somebody's headphone.
    mutating func volumeKnown() -> [DriverAction] {
        guard case .checkingVolume(let wish) = machine.state else { return [] }
        let changesVolume = options.volumeToMax && !isLoudest
        let kind = changesVolume ? ReaderPrompt.Kind.activation : .activationAtMaximumVolume
        guard !wish.isAllowed, !options.activateWithoutPrompting, !options.prompts[kind].isEmpty else {
            return allowed()
        }
        machine.change(to: .prompting(wish))
        // A question may stand for minutes, and nothing can be heard before it is answered.
        return [.command(.sound(.stopListening))]
            + prompts.show(kind, options.prompts, expiresIn: options.promptTimeout)
            + [.startTimer(options.promptTimeout)]
    }

    /// Somebody said yes.
    mutating func accepted() -> [DriverAction] {
        guard case .prompting(var wish) = machine.state else { return [] }
        guard !options.volumeToMax else { return [.command(.sound(.listen))] + allowed() }
        wish.isAllowed = true
        machine.change(to: .checkingVolume(wish))
        return lookAtVolume()
    }

    /// Nobody has anything against it.
    private mutating func allowed() -> [DriverAction] {
        guard options.volumeToMax else {
            // A card whose volume nobody knows is tried.
            return volume == nil || isLoudest ? powerUp() : endActivation(.volumeTooLow)
        }
        machine.change(to: .raisingVolume)
        isVolumeRaised = true
        return [.command(.sound(.raiseVolume)), .startTimer(Self.volumeSettling)]
    }

    mutating func volumeRaised() -> [DriverAction] {
        volume == nil || isLoudest ? powerUp() : endActivation(.volumeTooLow)
    }

    mutating func powerUp() -> [DriverAction] {
        machine.change(to: .poweringUp)
        isPowered = true
        let message = prompts.open?.kind == .initializing ? [] : prompts.show(.initializing, options.prompts)
        return message + [.command(.sound(.startTone(profile.tone))), .startTimer(profile.powerUp)]
    }

    mutating func poweredUp() -> [DriverAction] {
        machine.change(to: .connecting(tries: 0))
        // One with a battery is awake by now, and lives on that.
        return (profile.power == .wakeUp ? [.command(.sound(.stopTone))] : []) + say(.version)
    }

    /// Says a command and gives the reader the time to answer.
    mutating func say(_ command: UniMagCommand) -> [DriverAction] {
        machine.change(to: machine.state.triedAgain)
        let time =
            profile.duration(ofBytes: command.bytes.count) + Self.thinkingTime
            + profile.duration(ofBytes: Self.longestAnswer)
        return [burst(command), .startTimer(time)]
    }

    func burst(_ command: UniMagCommand) -> DriverAction {
        let modulator = AcousticModulator(profile: profile, sampleRate: profile.playbackRate)
        return .command(.sound(.play(modulator.samples(for: command.bytes), rate: profile.playbackRate)))
    }

    /// Anything that a reader says proves that one is there.
    mutating func greeted(_ sound: ReaderEar.Heard) -> [DriverAction] {
        guard case .message(let message) = sound else { return [] }
        switch UniMagMessage(message) {
        case .agreed, .refused: break
        case .answer(let text): details.firmware = Self.printable(text)
        // Noise, or our own voice.
        case .swipe, .malformed, .damaged: return []
        }
        machine.change(to: .active)
        return [.stopTimer] + prompts.close(.over)
            + [.signal(.identified(details)), .signal(.activated(.success))]
            + (options.alwaysAcceptSwipe ? request(for: options.swipeTimeout) : [])
    }

    mutating func greetingMissed() -> [DriverAction] {
        if machine.state.tries < Self.mostTries { return say(.version) }
        guard attempt + 1 < profiles.count else { return endActivation(.timeout) }
        let missed = profile
        attempt += 1
        ear = Self.ear(profile)
        guard profile.isPowered(like: missed) else { return powerUp() }
        machine.change(to: .connecting(tries: 0))
        return say(.version)
    }

    /// The end of an attempt that did not succeed: silence, the old volume, the result, and what people are told.
    mutating func endActivation(_ result: ActivationResult, why: String? = nil) -> [DriverAction] {
        machine.change(to: .attached)
        let closed = prompts.close(.over)
        let told: [DriverAction] =
            switch result {
            case .timeout: prompts.show(.timeout, options.prompts)
            case .volumeTooLow: prompts.show(.volumeTooLow, options.prompts)
            case .success, .declined, .failed, .unopened, .cancelled: []
            }
        let signal = why.map { ReaderSignal.activationFailed(result, why: $0) } ?? .activated(result)
        return [.stopTimer] + silence() + closed + [.signal(signal)] + told
    }

    /// Takes the power away, puts the volume back and closes the microphone.
    mutating func silence() -> [DriverAction] {
        defer {
            mayBeRaisedYet = mayBeRaisedYet || isVolumeRaised
            (isPowered, isVolumeRaised) = (false, false)
        }
        var actions: [DriverAction] = []
        if isPowered { actions.append(.command(.sound(.stopTone))) }
        if isVolumeRaised { actions.append(.command(.sound(.restoreVolume))) }
        actions.append(.command(.sound(.stopListening)))
        return actions
    }

    /// The reader that was active is not any longer: it fell silent, or its power failed.
    mutating func lose() -> [DriverAction] {
        machine.change(to: .attached)
        let actions: [DriverAction] = [.stopTimer] + silence() + [.signal(.lost)]
        guard options.activateOnAttach, revivals < Self.mostRevivals else {
            return actions + prompts.show(.timeout, options.prompts)
        }
        revivals += 1
        return actions + beginActivation()
    }

    private static func printable(_ text: [UInt8]) -> String? {
        let isText = !text.isEmpty && text.allSatisfy { (0x20...0x7E).contains($0) }
        return isText ? String(decoding: text, as: UTF8.self) : nil
    }
}
