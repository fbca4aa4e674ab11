import SwipeProtocol
import Testing

@testable import EventServer

/// What becomes of a swipe, decided without a socket.
@Suite struct SwipeCustodyTests {
    private static let holder = Claimant(uid: 1, pid: 1, connection: 7)
    private static let origin = SwipeOrigin(reader: "r", attachment: 1, isSimulated: false, sequence: 5)

    private static func held(_ sequence: UInt64) -> HeldSwipe {
        var origin = origin
        origin.sequence = sequence
        return HeldSwipe(origin: origin)
    }

    /// A table in which the holder is away.
    private static func away() -> ClaimTable {
        var claims = ClaimTable(holdsForAbsent: true)
        _ = claims.claim(
            "r", by: ClaimTable.Party(claimant: holder), .ask, token: nil, newToken: "t")
        _ = claims.disconnected(holder.connection, newToken: { "u" })
        return claims
    }

    private static let free = ClaimTable(holdsForAbsent: true)

    @Test func aLineInOneSocketIsEnough() {
        var custody = SwipeCustody()
        let receipt = custody.receipt(for: Self.origin, holder: nil, kept: nil)
        custody.queued(receipt)
        custody.queued(receipt)
        #expect(custody.givenOut(receipt) == nil)
        #expect(custody.settle(.delivered(receipt)) == nil)
        #expect(custody.settle(.lost(receipt)) == nil)
    }

    @Test func theLastQueueDecides() throws {
        var custody = SwipeCustody()
        let receipt = custody.receipt(for: Self.origin, holder: nil, kept: nil)
        custody.queued(receipt)
        custody.queued(receipt)
        #expect(custody.givenOut(receipt) == nil)
        #expect(custody.settle(.lost(receipt)) == nil)
        let last = custody.settle(.lost(receipt))
        custody.add(try #require(last))
        #expect(
            custody.next(Self.free, isConnected: { _ in true })
                == SwipeCustody.Notice(swipe: Self.origin, reason: .clientGone))
        #expect(custody.next(Self.free, isConnected: { _ in true }) == nil)
    }

    /// What the reason is, by whether it was in a queue and whether its holder is there.
    @Test(
        arguments: [
            (nil, false, true, .noSubscriber), (nil, true, true, .clientGone),
            (holder, false, true, .noSubscriber), (holder, false, false, .claimantGone),
            (holder, true, true, .claimantGone),
        ] as [(Claimant?, Bool, Bool, UntakenReason)])
    func reasons(_ holder: Claimant?, _ wasQueued: Bool, _ isConnected: Bool, _ reason: UntakenReason) throws
    {
        var custody = SwipeCustody()
        let receipt = custody.receipt(for: Self.origin, holder: holder, kept: nil)
        if wasQueued { custody.queued(receipt) }
        let given = custody.givenOut(receipt)
        let swipe = wasQueued ? custody.settle(.lost(receipt)) : given
        custody.add(try #require(swipe))
        let notice = custody.next(Self.free, isConnected: { _ in isConnected })
        #expect(notice == SwipeCustody.Notice(swipe: Self.origin, reason: reason))
    }

    /// Of two that are kept for a holder that is away, the older one is published as undelivered.
    @Test func onlyTheLatestIsKept() throws {
        var custody = SwipeCustody()
        for sequence in [5, 6] as [UInt64] {
            let kept = Self.held(sequence)
            let receipt = custody.receipt(for: kept.origin, holder: Self.holder, kept: kept)
            let swipe = custody.givenOut(receipt)
            custody.add(try #require(swipe))
        }
        let claims = Self.away()
        let notice = custody.next(claims, isConnected: { _ in false })
        #expect(notice == SwipeCustody.Notice(swipe: Self.held(5).origin, reason: .claimantGone))
        #expect(custody.next(claims, isConnected: { _ in false }) == nil)
        #expect(custody.takeHeld(for: "r")?.origin.sequence == 6)
        #expect(custody.takeHeld(for: "r") == nil)
    }

    /// What is delivered is kept for no holder, also where other queues lose it.
    @Test func whatIsDeliveredIsNotKept() throws {
        var custody = SwipeCustody()
        let receipt = custody.receipt(for: Self.origin, holder: Self.holder, kept: Self.held(5))
        custody.queued(receipt)
        custody.queued(receipt)
        #expect(custody.settle(.delivered(receipt)) == nil)
        #expect(custody.settle(.lost(receipt)) == nil)
        #expect(custody.givenOut(receipt) == nil)
        #expect(custody.next(Self.away(), isConnected: { _ in false }) == nil)
        #expect(custody.takeHeld(for: "r") == nil)
    }
}

/// Who is cut off, decided without a clock.
@Suite struct StallWatchTests {
    private final class Client: Stallable {
        var isBlocked = true
        var since: UInt64

        init(since: UInt64) { self.since = since }

        func hasStalled(at now: UInt64, for nanoseconds: UInt64) -> Bool { now - since >= nanoseconds }
    }

    @Test func oneLookForAll() {
        var watch = StallWatch<Client>()
        let (first, second) = (Client(since: 0), Client(since: 50))
        #expect(watch.add(first) == true)
        #expect(watch.add(second) == false, "a look is due already")
        #expect(watch.add(first) == false)
        let stalled = watch.look(at: 100, allowing: 100)
        #expect(stalled.count == 1 && stalled.first === first)
        watch.remove(first)
        #expect(watch.needsLook() == true)
        #expect(watch.needsLook() == false)
        second.isBlocked = false
        #expect(watch.look(at: 200, allowing: 100).count == 0)
        #expect(watch.needsLook() == false, "no client is left")
        #expect(watch.add(second) == true)
    }
}
