import ReaderKit
import Testing

@Suite struct RequestTests {
    private static let prompt = ReaderPrompt(id: 1, kind: .activation, text: "Power it up?")
    private static let next = ReaderPrompt(id: 2, kind: .initializing, text: "Wait")
    private static let details = ReaderDetails(model: "Jack")

    private func lifecycle(after signals: [ReaderSignal]) -> ReaderLifecycle {
        var lifecycle = ReaderLifecycle(Self.details)
        _ = lifecycle.introduce()
        for signal in signals { _ = lifecycle.received(signal) }
        return lifecycle
    }

    @Test func swipeTimeoutsHaveARange() throws {
        var options = ReaderOptions()
        #expect(options.swipeTimeout == .seconds(20))
        for seconds in [3, 20] {
            try options.setSwipeTimeout(seconds: seconds)
            #expect(options.swipeTimeout == .seconds(seconds))
        }
        for seconds in [Int.min, 0, 2, 21, Int.max] {
            let refusal = #expect(throws: RequestRefusal.self) {
                try options.setSwipeTimeout(seconds: seconds)
            }
            #expect(refusal?.code == .outOfRange)
            #expect(refusal?.reason.hasSuffix("allowed are 3 to 20 seconds") == true)
        }
        #expect(throws: RequestRefusal.self) { try options.setPromptTimeout(seconds: 0) }
        #expect(options.swipeTimeout == .seconds(20))
    }

    @Test func thereIsOnePlaceForPrompts() {
        var lifecycle = lifecycle(after: [])
        #expect(lifecycle.received(.promptShown(Self.prompt)).map(\.event) == [.promptShown(Self.prompt)])
        #expect(
            lifecycle.received(.promptShown(Self.next)).map(\.event)
                == [.promptClosed(id: 1, .over), .promptShown(Self.next)])
        #expect(lifecycle.received(.promptClosed(id: 1, .accepted)) == [])
        #expect(
            lifecycle.detached(.unplugged).map(\.event)
                == [.promptClosed(id: 2, .disconnected), .disconnect(.unplugged)])
    }

    /// Nothing is said of power and readiness meanwhile; afterwards the state holds, and the way out is complete.
    @Test func aSearchIsSilent() {
        var lifecycle = ReaderLifecycle(Self.details)
        #expect(lifecycle.received(.autodetectStarted).map(\.event) == [.autodetectStarted(Self.details)])
        #expect(lifecycle.introduce() == [])
        let found = ReaderDetails(model: "Found", encryption: .encrypted)
        let meanwhile: [ReaderSignal] = [
            .promptShown(Self.prompt), .identified(found), .activated(.success), .ready(expiresIn: nil),
        ]
        #expect(meanwhile.flatMap { lifecycle.received($0) } == [])
        #expect(
            lifecycle.received(.autodetectCompleted(.unimag))
                == [ReaderStep(.autodetectCompleted(.unimag, found), .ready)])
        #expect(
            lifecycle.detached(.unplugged).map(\.event)
                == [.unready(.disconnected), .deactivate(.unplugged), .disconnect(.unplugged)])
    }

    @Test func aSearchEndsWithItsReader() {
        var lifecycle = ReaderLifecycle(Self.details)
        _ = lifecycle.received(.autodetectStarted)
        #expect(
            lifecycle.detached(.unplugged).map(\.event)
                == [.autodetectCompleted(.fail, Self.details), .disconnect(.unplugged)])
    }

    @Test func aFailedActivationSaysWhy() {
        var lifecycle = lifecycle(after: [])
        #expect(
            lifecycle.received(.activationFailed(.failed, why: "no playback")).map(\.event)
                == [.activate(.failed, why: "no playback")])
    }
}
