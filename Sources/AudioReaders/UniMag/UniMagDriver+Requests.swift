package import ReaderKit
import StateMachine

/// What the claimant asks for.
extension UniMagDriver {
    package static let reactivationWarning =
        "activate_on_attach is on: the reader is powered up again at once; turn it off before deactivating"
    package static let laterWarning = "the profile is used from the next activation on"

    package mutating func request(_ request: ReaderRequest) -> (RequestOutcome, [DriverAction]) {
        do throws(RequestRefusal) {
            switch request {
            case .activate: return try activate()
            case .cancelActivation: return try cancelActivation()
            case .deactivate: return try deactivate()
            case .requestSwipe(let timeout): return try requestSwipe(timeout)
            case .cancelSwipe: return try cancelSwipe()
            case .answerPrompt(let id, let answer): return try self.answer(id, answer)
            case .configure(let options): return configure(options)
            case .testCommunication:
                throw RequestRefusal(
                    .notApplicable,
                    "a UniMag is tested by powering it up: the result of activate says whether a reader answers"
                )
            }
        } catch {
            return (.refused(error), [])
        }
    }

    private mutating func activate() throws(RequestRefusal) -> (RequestOutcome, [DriverAction]) {
        if state == .prompting { return (.accepted(), prompts.close(.accepted) + accepted()) }
        if case .checkingVolume(var wish) = machine.state, wish.isOfItself, !wish.isAllowed {
            // The question is about to be asked, and is answered already.
            wish.isAllowed = true
            machine.change(to: .checkingVolume(wish))
            return (.accepted(), [])
        }
        if state.isActivating { throw RequestRefusal(.busy, "the reader is being powered up already") }
        if state.isActive { throw RequestRefusal(.wrongState, "the reader is powered up already") }
        revivals = 0
        return (.accepted(), beginActivation(isOfItself: false))
    }

    private mutating func cancelActivation() throws(RequestRefusal) -> (RequestOutcome, [DriverAction]) {
        guard state.isActivating else {
            throw RequestRefusal(.wrongState, "the reader is not being powered up; nothing to cancel")
        }
        return (.accepted(), endActivation(.cancelled))
    }

    private mutating func deactivate() throws(RequestRefusal) -> (RequestOutcome, [DriverAction]) {
        if state.isActivating {
            throw RequestRefusal(.wrongState, "the reader is being powered up; cancel_activation ends that")
        }
        guard state.isActive else { throw RequestRefusal(.notPowered, "the reader is not powered up") }
        machine.change(to: .attached)
        let actions = [.stopTimer] + silence() + prompts.close(.over) + [.signal(.deactivated)]
        guard options.activateOnAttach else { return (.accepted(), actions) }
        return (.accepted(warning: Self.reactivationWarning), actions + beginActivation())
    }

    private mutating func requestSwipe(
        _ timeout: Duration?
    ) throws(RequestRefusal) -> (RequestOutcome, [DriverAction]) {
        try refuseWhileAutomatic("request_swipe")
        let duration = try timeout.map(ReaderOptions.swipeTimeout(checking:)) ?? options.swipeTimeout
        guard state.isActive else { throw RequestRefusal(.notPowered, "the reader is not powered up") }
        guard state == .active else { throw RequestRefusal(.busy, "a swipe is asked for already") }
        return (.accepted(), request(for: duration))
    }

    private mutating func cancelSwipe() throws(RequestRefusal) -> (RequestOutcome, [DriverAction]) {
        try refuseWhileAutomatic("cancel_swipe")
        switch state {
        case .awaitingSwipe, .receiving: return (.accepted(), endRequest(.cancelled))
        case .requesting:
            // Nobody has heard that swipes are accepted.
            machine.change(to: .active)
            return (.accepted(), [.stopTimer, burst(.cancelSwipe)])
        case .active, .attached, .checkingVolume, .prompting, .raisingVolume, .poweringUp, .connecting:
            throw RequestRefusal(.wrongState, "no swipe is asked for")
        }
    }

    private func refuseWhileAutomatic(_ method: String) throws(RequestRefusal) {
        guard options.alwaysAcceptSwipe else { return }
        throw RequestRefusal(
            .automatic, "always_accept_swipe is on: swipes are asked for all the time, without \(method)")
    }

    private mutating func answer(
        _ id: Int, _ answer: PromptAnswer
    ) throws(RequestRefusal) -> (RequestOutcome, [DriverAction]) {
        guard let prompt = prompts.open, prompt.id == id else {
            throw RequestRefusal(.noSuchPrompt, "no prompt \(id) is open")
        }
        let closed = prompts.close(answer == .accept ? .accepted : .declined)
        guard prompt.kind.isQuestion else { return (.accepted(), closed) }
        return (.accepted(), closed + (answer == .accept ? accepted() : endActivation(.declined)))
    }

    private mutating func configure(_ new: ReaderOptions) -> (RequestOutcome, [DriverAction]) {
        let isNewProfile = new.profiles(for: .unimag) != options.profiles(for: .unimag)
        options = new
        let isLate = isNewProfile && state != .attached
        let actions =
            state == .active && options.alwaysAcceptSwipe ? request(for: options.swipeTimeout) : []
        return (.accepted(warning: isLate ? Self.laterWarning : nil), actions)
    }
}
