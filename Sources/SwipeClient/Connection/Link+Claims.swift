internal import SwipeProtocol

/// The readers that are this client's: claimed, claimed again after an interruption, lost, given back.
extension Link {
    /// Claims a reader; its swipes are kept from the grant on, and asked for once their stream is attached.
    func claim(
        _ scope: ClaimScope, _ mode: ClaimMode, keeping swipes: EventBuffer, timeout: Duration
    ) async throws(SwipeClientError) {
        let deadline = SystemTime.deadline(after: timeout)
        _ = try await hello(by: deadline)
        let call = Call.claim(reader: scope.reader, mode, token: nil)
        // Noted before whatever comes behind the grant, be it that the claim is over again.
        _ = try await requestNow(call, deadline: deadline) { [weak self] grant in
            guard let self else { return }
            lock.locked {
                claims.granted(scope, token: grant.object?["token"]?.string)
                _ = listeners.add(swipes, asks: false)
            }
        }
    }

    /// Ends a claim and its streams; the daemon is told where nobody else here holds or claims the reader.
    func giveBack(_ scope: ClaimScope, timeout: Duration) async {
        let deadline = SystemTime.deadline(after: timeout)
        await withCheckedContinuation { continuation in
            let (isTold, buffers) = lock.locked { () -> (Bool, [EventBuffer]) in
                let buffers = leave(scope, .givenBack)
                let isLast = claims.forget(scope)
                renewSubscription()
                // Without a connection the daemon has let go of it already.
                guard isLast, case .running(.some) = state, !pending.isClaiming(scope.reader) else {
                    return (false, buffers)
                }
                queue(.release(reader: scope.reader), deadline: deadline) { _ in continuation.resume() }
                return (true, buffers)
            }
            for buffer in buffers { buffer.finish(nil) }
            speakUp()
            if !isTold { continuation.resume() }
        }
    }

    // MARK: On the connection's thread

    /// The daemon ended somebody's claim.
    func claimEnded(_ reader: String, _ why: ClaimEnd, of holder: Claimant) {
        settle { () -> HeldClaims.Loss? in
            guard case .running(let hello?) = state, hello.you.connection == holder.connection else {
                return nil
            }
            return claims.ended(reader, why)
        }
    }

    /// Ends the streams of a claim that is lost, and asks for what is wanted without it; or for the reader that it waits
    /// for now.
    ///
    /// - Parameter change: called with the lock held.
    private func settle(_ change: () -> HeldClaims.Loss?) {
        let (loss, buffers) = lock.locked { () -> (HeldClaims.Loss?, [EventBuffer]) in
            let loss = change()
            let buffers = loss.map { loss in loss.scopes.flatMap { leave($0, .lost(loss.error)) } }
            renewSubscription()
            return (loss, buffers ?? [])
        }
        for buffer in buffers { buffer.finish(loss?.error) }
    }

    // MARK: With the lock held

    /// Lets go of a scope's streams, which are still to be finished.
    private func leave(_ scope: ClaimScope, _ state: ClaimScope.State) -> [EventBuffer] {
        scope.state = state
        let buffers = listeners.buffers.filter { $0.scope === scope }
        for buffer in buffers { listeners.remove(ObjectIdentifier(buffer)) }
        return buffers
    }

    /// A reader is there.
    func came(_ reader: String) {
        if claims.isMissed(reader) { claimAgain(reader) }
    }

    func claimAgain(_ reader: String) {
        claims.isAsked(reader)
        queue(
            .claim(reader: reader, .tryOnly, token: claims.token(of: reader)), deadline: UInt64.max
        ) { [weak self] result in
            guard let self else { return }
            settle { claims.answered(reader, result) }
        }
    }

    /// Gives a reader back that was granted when nobody waited for it any more, unless it is wanted again.
    func giveBackLateClaim(_ id: Int64) {
        guard let reader = pending.takeLateClaim(id), !claims.isKnown(reader), !pending.isClaiming(reader)
        else { return }
        queue(.release(reader: reader), deadline: UInt64.max) { _ in }
    }
}
