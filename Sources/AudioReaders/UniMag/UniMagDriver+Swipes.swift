import CardData
import ReaderKit
import ReaderPackets
import StateMachine

/// From the request for a swipe to its end.
extension UniMagDriver {
    mutating func request(for duration: Duration) -> [DriverAction] {
        machine.change(to: .requesting(duration, tries: 0))
        ear.reset()
        return say(.requestSwipe)
    }

    mutating func agreed(_ sound: ReaderEar.Heard) -> [DriverAction] {
        guard case .message(let message) = sound else { return [] }
        switch UniMagMessage(message) {
        case .agreed: return becomeReady()
        // The agreement was not heard, and a card came at once.
        case .swipe(let packet): return becomeReady() + finish(packet.swipe())
        // It is there and will not: asked as often as one that is silent, and without waiting.
        case .refused: return agreementMissed()
        case .answer, .malformed, .damaged: return []
        }
    }

    mutating func agreementMissed() -> [DriverAction] {
        machine.state.tries < Self.mostTries ? say(.requestSwipe) : lose()
    }

    private mutating func becomeReady() -> [DriverAction] {
        guard case .requesting(let duration, _) = machine.state else { return [] }
        machine.change(to: .awaitingSwipe(UniMagLife.SwipeRequest(duration: duration)))
        // It works: only from here on may it be powered up again of itself.
        revivals = 0
        return [.signal(.ready(expiresIn: duration)), .startTimer(duration)]
    }

    /// What is heard while a swipe is accepted.
    mutating func swiping(_ sound: ReaderEar.Heard) -> [DriverAction] {
        switch sound {
        case .burst: return begin()
        case .packet:
            let actions = begin()
            if case .receiving(let request, _) = machine.state {
                machine.change(to: .receiving(request, isPacket: true))
            }
            return actions + [.signal(.swipeStarted)]
        case .silence: return resume()
        case .message(let message):
            switch UniMagMessage(message) {
            case .swipe(let packet): return finish(packet.swipe())
            case .malformed(let refusal): return isPacket ? unreadable(refusal.rawValue) : resume()
            case .damaged: return isPacket ? unreadable("a byte was received wrong") : resume()
            // A late answer.
            case .agreed, .answer, .refused: return resume()
            }
        }
    }

    /// Whether what is being received may be a packet.
    private var isPacket: Bool {
        if case .receiving(_, let isPacket) = machine.state { isPacket } else { false }
    }

    /// A burst is waited for: the request does not end in the middle of a card.
    private mutating func begin() -> [DriverAction] {
        guard case .awaitingSwipe(let request) = machine.state else { return [] }
        machine.change(to: .receiving(request, isPacket: false))
        return [.startTimer(profile.duration(ofBytes: BurstCollector.maximumBytes) + Self.thinkingTime)]
    }

    /// It was nothing: the request goes on for what is left of it.
    private mutating func resume() -> [DriverAction] {
        guard case .receiving(let request, _) = machine.state else { return [] }
        machine.change(to: .awaitingSwipe(request))
        let left = request.duration - request.heard
        return left > .zero ? [.startTimer(left)] : endRequest(.timeout)
    }

    mutating func burstTooLong() -> [DriverAction] {
        ear.reset()
        return isPacket ? unreadable("a packet that does not end") : resume()
    }

    private mutating func unreadable(_ why: String) -> [DriverAction] {
        [.signal(.malformed(why))] + finish(Swipe(tracks: [], quality: SwipeQuality(hint: .noisy)))
    }

    private mutating func finish(_ swipe: Swipe) -> [DriverAction] {
        if swipe.encryption != nil { details.encryption = .encrypted }
        return [.signal(.identified(details)), .signal(.swiped(swipe))] + endRequest(.swiped)
    }

    /// The request ended; the next one follows at once where swipes are always accepted.
    mutating func endRequest(_ reason: UnreadyReason) -> [DriverAction] {
        guard !options.alwaysAcceptSwipe else {
            return [.signal(.unready(.refreshing))] + request(for: options.swipeTimeout)
        }
        machine.change(to: .active)
        // A reader that has sent a swipe waits for none; another must be told, or it sends a later one.
        return [.stopTimer, .signal(.unready(reason))] + (reason == .swiped ? [] : [burst(.cancelSwipe)])
    }

    /// What an active reader says although nobody asked it.
    mutating func unasked(_ sound: ReaderEar.Heard) -> [DriverAction] {
        guard case .message(let message) = sound, case .swipe = UniMagMessage(message) else { return [] }
        return [.signal(.malformed("a swipe that was not requested"))]
    }
}
