import CardData
import ReaderKit
import ReaderTesting
import StateMachine
import Testing

@Suite struct ReaderLifecycleTests {
    static let details = ReaderDetails(model: "Dynamag")
    static let swipe = Swipe(tracks: [])
    static let interrupted = Swipe(tracks: [], quality: SwipeQuality(hint: .partial))

    private func lifecycle(after signals: [ReaderSignal]) -> ReaderLifecycle {
        var lifecycle = ReaderLifecycle(Self.details)
        _ = lifecycle.introduce()
        for signal in signals { _ = lifecycle.received(signal) }
        return lifecycle
    }

    static let toReady: [ReaderSignal] = [.activated(.success), .ready(expiresIn: nil)]

    /// Unplugged in each state: every step back is said, in order, and a card that was passing is unreadable.
    @Test(
        arguments: [
            ([], [.disconnect(.unplugged)]),
            ([.activated(.success)], [.deactivate(.unplugged), .disconnect(.unplugged)]),
            (toReady, [.unready(.disconnected), .deactivate(.unplugged), .disconnect(.unplugged)]),
            (
                toReady + [.swipeStarted],
                [
                    .swipe(interrupted), .unready(.disconnected), .deactivate(.unplugged),
                    .disconnect(.unplugged),
                ]
            ),
        ] as [([ReaderSignal], [ReaderEvent])])
    func unplug(after signals: [ReaderSignal], says events: [ReaderEvent]) {
        var lifecycle = lifecycle(after: signals)
        let steps = lifecycle.detached(.unplugged)
        #expect(steps.map(\.event) == events)
        #expect(lifecycle.state == .detached)
    }

    /// It slept with the machine: the same steps back, for that reason, and it is still attached.
    @Test(
        arguments: [
            ([], []),
            ([.activated(.success)], [.deactivate(.suspended)]),
            (toReady, [.unready(.suspended), .deactivate(.suspended)]),
            (
                toReady + [.swipeStarted],
                [.swipe(interrupted), .unready(.suspended), .deactivate(.suspended)]
            ),
        ] as [([ReaderSignal], [ReaderEvent])])
    func sleeps(after signals: [ReaderSignal], says events: [ReaderEvent]) {
        var lifecycle = lifecycle(after: signals)
        #expect(lifecycle.suspended().map(\.event) == events)
        #expect(lifecycle.state == .attached)
        #expect(lifecycle.received(.activated(.success)).map(\.event) == [.activate(.success, why: nil)])
    }

    /// What is out of order is counted and said to nobody.
    @Test(
        arguments: [
            ([], ReaderSignal.ready(expiresIn: nil)),
            ([], .swiped(swipe)),
            ([], .swipeStarted),
            ([.activated(.success)], .activated(.success)),
            ([.activated(.success)], .swiped(swipe)),
            (toReady, .ready(expiresIn: nil)),
            (toReady + [.swipeStarted], .swipeStarted),
        ] as [([ReaderSignal], ReaderSignal)])
    func outOfOrder(after signals: [ReaderSignal], refuses signal: ReaderSignal) {
        var lifecycle = lifecycle(after: signals)
        let before = lifecycle.state
        #expect(lifecycle.received(signal) == [])
        #expect(lifecycle.refusedSignals == 1)
        #expect(lifecycle.state == before)
    }

    @Test func statesAreThoseBetweenTheEvents() {
        var lifecycle = lifecycle(after: Self.toReady + [.swipeStarted])
        #expect(lifecycle.detached(.unplugged).map(\.state) == [.ready, .active, .attached, .detached])
    }

    @Test func repeatedDetailsAreSaidOnce() {
        var lifecycle = ReaderLifecycle(Self.details)
        _ = lifecycle.introduce()
        let more = ReaderDetails(model: "Dynamag", serial: "B05A9C4", encryption: .encrypted)
        #expect(lifecycle.received(.identified(more)).map(\.event) == [.identified(more)])
        #expect(lifecycle.received(.identified(more)) == [])
        #expect(lifecycle.details == more)
    }

    /// `connect` comes first whatever happens, and waits for what the reader tells about itself.
    @Test(
        arguments: [
            ([.identified(told)], [.connect(told)]),
            ([.activated(.success), .identified(told)], [.connect(told), .activate(.success, why: nil)]),
            ([.identified(untold), .identified(told)], [.connect(told)]),
            (
                [.activated(.success), .ready(expiresIn: nil), .swiped(swipe)],
                [.connect(details), .activate(.success, why: nil), .ready(expiresIn: nil), .swipe(swipe)]
            ),
        ] as [([ReaderSignal], [ReaderEvent])])
    func introduces(after signals: [ReaderSignal], says events: [ReaderEvent]) {
        var lifecycle = ReaderLifecycle(Self.details)
        #expect(signals.flatMap { lifecycle.received($0) }.map(\.event) == events)
        #expect(lifecycle.introduce() == [])
    }

    static let told = ReaderDetails(model: "Dynamag", serial: "B05A9C4", encryption: .encrypted)
    static let untold = ReaderDetails(model: "Dynamag", serial: "B05A9C4")

    @Test func anUnpluggedStrangerIsIntroducedAndGone() {
        var lifecycle = ReaderLifecycle(Self.details)
        #expect(
            lifecycle.detached(.unplugged).map(\.event) == [.connect(Self.details), .disconnect(.unplugged)])
    }

    /// Whoever asked for a test hears one result, whatever becomes of the reader.
    @Test(arguments: [DetachReason.unplugged, .deactivated, .error, .suspended, .removed, .shutdown])
    func aTestHasAResult(reason: DetachReason) {
        var lifecycle = lifecycle(after: Self.toReady)
        lifecycle.testBegan()
        let steps =
            switch reason {
            case .error: lifecycle.failed()
            case .suspended: lifecycle.suspended()
            case .unplugged, .deactivated, .removed, .shutdown: lifecycle.detached(reason)
            }
        guard case .testCompleted(false, why: _?)? = steps.first?.event else { return #expect(Bool(false)) }
        #expect(steps.first?.state == .ready)
        let later = steps.dropFirst() + lifecycle.detached(.unplugged)
        #expect(!later.contains { if case .testCompleted = $0.event { true } else { false } })
    }

    @Test func aTestThatIsOverHasNoOtherResult() {
        var lifecycle = lifecycle(after: Self.toReady)
        lifecycle.testBegan()
        #expect(
            lifecycle.received(.testCompleted(true, why: nil)).map(\.event) == [
                .testCompleted(true, why: nil)
            ])
        #expect(lifecycle.failed().map(\.event) == [.unready(.error), .deactivate(.error)])
    }

    /// Any sequence of signals: `activate`, `ready` and their opposites alternate, and nothing follows the end.
    @Test(arguments: 0..<50)
    func randomSignalsKeepTheOrder(seed: Int) {
        var random = SeededGenerator(state: UInt64(seed))
        var lifecycle = ReaderLifecycle(Self.details)
        var steps: [ReaderStep] = []
        let signals: [ReaderSignal] = [
            .activated(.success), .activated(.timeout), .deactivated, .lost, .ready(expiresIn: nil),
            .unready(.timeout),
            .swipeStarted, .swiped(Self.swipe),
        ]
        for _ in 0..<200 {
            let index = Int(random.next() % UInt64(signals.count))
            steps += lifecycle.received(signals[index])
        }
        steps += lifecycle.detached(.unplugged)
        steps += signals.flatMap { lifecycle.received($0) }
        #expect(brokenOrder(steps.map(\.event)) == nil)
        #expect(steps.last?.event == .disconnect(.unplugged))
    }

    /// The first event that has no business where it stands.
    private func brokenOrder(_ events: [ReaderEvent]) -> ReaderEvent? {
        var active = false
        var ready = false
        for event in events {
            let isAllowed: Bool
            switch event {
            case .activate(.success, _): (isAllowed, active) = (!active, true)
            case .ready: (isAllowed, ready) = (active && !ready, true)
            case .unready: (isAllowed, ready) = (ready, false)
            case .deactivate: (isAllowed, active) = (active && !ready, false)
            case .swipe, .swipeStarted: isAllowed = ready
            case .disconnect: isAllowed = !active && !ready
            case .activate, .connect, .identified, .notice, .promptShown, .promptClosed, .testCompleted,
                .autodetectStarted, .autodetectCompleted:
                isAllowed = true
            }
            if !isAllowed { return event }
        }
        return nil
    }
}
