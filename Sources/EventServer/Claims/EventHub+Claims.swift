internal import NIOCore
internal import SwipeProtocol

extension EventHub {
    func claim(
        _ reader: String, _ mode: ClaimMode, _ token: String?, _ id: RequestID, _ identity: ClientIdentity
    ) -> Answer {
        guard readers[reader] != nil else { return .line(error(id, EventHub.unknown(reader))) }
        let actions = claims.claim(
            reader, by: ClaimTable.Party(claimant: identity.claimant, request: id), mode, token: token,
            newToken: ServerConfiguration.newInstance())
        perform(actions)
        if case .ask = actions.first { return .later }
        return .given
    }

    func release(_ reader: String, _ id: RequestID, _ connection: ConnectionHandler) -> Answer {
        guard readers[reader] != nil else { return .line(error(id, EventHub.unknown(reader))) }
        let number = connection.identity?.connection ?? 0
        guard let actions = claims.release(reader, by: number, newToken: ServerConfiguration.newInstance())
        else {
            return .line(error(id, EventHub.refusal(.claimNotHeld, reader)))
        }
        connection.answered([Delivery(line(id, .release, EmptyResult()))])
        perform(actions)
        return .given
    }

    func retain(_ reader: String, _ id: RequestID, _ connection: ConnectionHandler) -> Answer {
        guard readers[reader] != nil else { return .line(error(id, EventHub.unknown(reader))) }
        let (refusal, actions) = claims.retain(reader, by: connection.identity?.connection ?? 0)
        if let refusal { return .line(error(id, EventHub.refusal(refusal, reader))) }
        connection.answered([Delivery(line(id, .retain, EmptyResult()))])
        perform(actions)
        return .given
    }

    static func unknown(_ reader: String) -> ErrorReply {
        ErrorReply(.readerUnknown, "no reader '\(reader.prefix(64))'")
    }

    /// What a claim was refused for, in the sentence of the table of errors.
    private static func refusal(_ code: ErrorCode, _ reader: String) -> ErrorReply {
        ErrorReply(code, "reader '\(reader.prefix(64))': \(code.row?.meaning ?? code.rawValue)")
    }

    func perform(_ actions: [ClaimTable.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: ClaimTable.Action) {
        switch action {
        case .grant(let party, let reader, let token, let isReturn):
            guard let connection = connection(party.claimant.connection) else { return }
            let grant = line(party.request, .claim, ClaimGrant(reader: reader, token: token))
            guard isReturn, let kept = custody.takeHeld(for: reader) else {
                return connection.answered([Delivery(grant)])
            }
            giveBack(kept, to: connection, after: grant)
        case .refuse(let party, let reader, let code):
            connection(party.claimant.connection)?.answered([
                Delivery(error(party.request, EventHub.refusal(code, reader)))
            ])
        case .ask(let holder, let challenger, let reader, let round):
            ask(holder, challenger, reader, round)
        case .announceEnd(let reader, let why, let holder):
            announce(reader, .claimReleased(why, holder: holder), alsoTo: holder)
            tellOfNobody(reader)
        case .awaitReturn(let reader, let round):
            schedule(limits.swipeHold, reader, round)
        case .forgetHeld(let reader):
            if let kept = custody.takeHeld(for: reader) { publishUndelivered(kept.origin, .claimantGone) }
        }
    }

    /// A reader that is still there and that no client controls: what waits for a holder's answer waits in vain.
    private func tellOfNobody(_ reader: String) {
        guard readers[reader] != nil, claims.holder(of: reader) == nil else { return }
        let backend = backend
        Task { await backend.claimEnded(of: reader) }
    }

    /// Gives a holder that is back what was kept, as far as its roles allow it.
    private func giveBack(
        _ kept: HeldSwipe, to connection: ConnectionHandler, after grant: EncodedLine
    ) {
        guard let line = kept.delivery(for: connection.view) else {
            connection.answered([Delivery(grant)])
            return publishUndelivered(kept.origin, .claimantGone)
        }
        // The holder may be gone again before the line is delivered: then the swipe is kept again, or published as
        // undelivered.
        let receipt = custody.receipt(
            for: kept.origin, holder: claims.holder(of: kept.origin.reader), kept: kept)
        connection.answered([
            Delivery(grant), Delivery(line.line, sequence: line.sequence, receipt: receipt),
        ])
        if let swipe = custody.givenOut(receipt) { decideLater(on: swipe) }
    }

    private func ask(_ holder: Claimant, _ challenger: Claimant, _ reader: String, _ round: UInt64) {
        let milliseconds = Int64(limits.retain / .milliseconds(1))
        let deadline = WallTime(microseconds: EventInstant.now().wall.microseconds + milliseconds * 1_000)
        announce(reader, .claimRequested(by: challenger, deadline: deadline), alsoTo: holder)
        let heard = RetainTime(before: controlTime(of: holder))
        awaitWord(of: holder, heard, reader, round, .nanoseconds(Int64(limits.retain / .nanoseconds(1))))
    }

    /// Gives the reader to the requester when the holder's time is over.
    private func awaitWord(
        of holder: Claimant, _ heard: RetainTime, _ reader: String, _ round: UInt64, _ time: TimeAmount
    ) {
        _ = loop.assumeIsolated().scheduleTask(in: time) {
            var heard = heard
            if let more = heard.extend(now: self.controlTime(of: holder)) {
                return self.awaitWord(of: holder, heard, reader, round, .nanoseconds(Int64(clamping: more)))
            }
            self.perform(
                self.claims.deadline(reader, round: round, newToken: ServerConfiguration.newInstance()))
        }
    }

    /// How long the requests of a connection to readers have taken, in nanoseconds; 0 for a connection that is gone.
    private func controlTime(of claimant: Claimant) -> UInt64 {
        connection(claimant.connection)?.controlTime.total(at: EventInstant.monotonic()) ?? 0
    }

    private func schedule(_ time: Duration, _ reader: String, _ round: UInt64) {
        let delay = TimeAmount.nanoseconds(Int64(time / .nanoseconds(1)))
        _ = loop.assumeIsolated().scheduleTask(in: delay) {
            self.perform(
                self.claims.deadline(reader, round: round, newToken: ServerConfiguration.newInstance()))
        }
    }

    /// Publishes to all subscribers, and to the connection that it concerns even if it has not subscribed.
    private func announce(_ reader: String, _ event: EventBody, alsoTo claimant: Claimant?) {
        let kind = event.kind ?? .gap
        let delivery = publish(
            Publication(
                readerID: reader, attachment: readers[reader]?.attachment,
                isSimulated: readers[reader]?.isSimulated ?? false, event))
        guard let delivery, let claimant, let connection = connection(claimant.connection),
            !connection.hears(EventKinds(kind), of: reader)
        else { return }
        connection.enqueue(delivery)
        flushes.mark(connection)
    }
}
