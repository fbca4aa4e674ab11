/// Captures, refunds and voids: once each, whatever is lost or killed on the way.
///
/// The same rule as for payments. A change is written down before it is asked for, with the idempotency key that it has at the
/// service. What a killed program left behind is settled first: the service's books say whether a change with that key was
/// done. One that is not there may still be on its way; who asks for the very same change again goes on with its key, so
/// that the service does it once. Nobody else does anything to the charge before that.
///
/// No answer to a change ends it: the books do (``ChargeRecord``). So a refusal that is a proxy's, or that answers a repeated
/// request, is nothing to go by.
extension PaymentDesk {
    /// Changes a charge.
    ///
    /// - Parameters:
    ///   - change: what to do.
    ///   - decided: when it was decided to do it; nil for now. The same change that was done since then is not done once more.
    ///   - written: is called once the change is written down: from then on it may be done.
    /// - Returns: how it ended. What it says goes to somebody, and then its note to ``acknowledge(_:selling:)``.
    public func change(
        _ change: ChargeChange, decided: JournalMark? = nil,
        written: @Sendable (OpenAttempt) -> Void = { _ in }
    ) async -> ChangeEnd {
        if let problem = ChargeChange.problem(ofName: change.name) {
            return ChangeEnd(.failed(.unfit(problem)), change)
        }
        let sale = SaleKey(service: gateway.service, changing: change.charge)
        let end = ContinuousClock.now + policy.othersTimeout
        var mark = decided ?? journal.mark()
        var awaited: Set<OpenAttempt> = []
        while true {
            let findings: JournalFindings
            do throws(PaymentJournalError) {
                findings = try journal.findings(at: gateway.service, for: sale)
            } catch {
                return ChangeEnd(.failed(PaymentError(error)), change)
            }
            if let other = findings.underWay.first {
                guard ContinuousClock.now < end, !Task.isCancelled else {
                    return ChangeEnd(.failed(.heldElsewhere(other)), change)
                }
                if awaited.isEmpty { tell(.waiting(other)) }
                awaited.formUnion(findings.underWay)
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            switch await next(change, left: findings.abandoned, awaited: awaited) {
            case .ends(let end): return end
            case .continues(let note):
                written(note)
                return ended(await perform(change, note, isContinued: true))
            case .begins(let note):
                do throws(PaymentJournalError) {
                    try journal.open(note, since: mark)
                } catch .endedMeanwhile(let other, let name) {
                    mark.over.insert(name)
                    awaited.insert(other)
                    continue
                } catch {
                    // Somebody else was faster: that end is waited for.
                    if error.mayPass, ContinuousClock.now < end {
                        try? await Task.sleep(for: .milliseconds(50))
                        continue
                    }
                    return ChangeEnd(.failed(PaymentError(error)), change)
                }
                written(note)
                return ended(await begin(change, note))
            }
        }
    }

    /// Nobody is at a change any more that has an end; until somebody was told of it, it is in the way of the next one.
    private func ended(_ end: ChangeEnd) -> ChangeEnd {
        if let note = end.note?.attempt { journal.end(note) }
        return end
    }

    // MARK: Settling

    private enum Next {
        case ends(ChangeEnd)
        /// With what a killed program wrote down.
        case continues(OpenAttempt)
        /// With a new note.
        case begins(OpenAttempt)
    }

    /// Settles what was left of the charge's changes, and says what follows.
    private func next(
        _ change: ChargeChange, left: [OpenAttempt], awaited: Set<OpenAttempt>
    ) async -> Next {
        let record: ChargeRecord
        do throws(GatewayError) { record = try await gateway.record(of: change.charge, with: key) } catch {
            guard let note = left.first else {
                // Who was waited for was at the very same.
                guard let other = awaited.first(where: { $0.isAbout(change) }) else {
                    return .ends(ChangeEnd(.failed(.gateway(error)), change))
                }
                let payment = EarlierPayment(other, .possibleSuccess(.gateway(error)))
                return .ends(ChangeEnd(.perhaps(.earlierPayments([payment])), change, note: other))
            }
            let isAnothers = error.code == .notFound && (note.merchant ?? key.fingerprint) != key.fingerprint
            let why = PaymentError.gateway(isAnothers ? .ofAnotherKey : error)
            return .ends(ChangeEnd(.perhaps(why), change, note: note))
        }
        if !left.isEmpty { tell(.found(left)) }
        for note in left {
            if let next = settled(note, change, record) { return next }
            journal.close(note)
        }
        if let end = named(change, record) { return .ends(end) }
        // Who was waited for has told somebody by now. The same change once more is one too many.
        for note in awaited where note.isAbout(change) {
            if let booked = record.change(of: note), booked.status == .done {
                return .ends(earlier(note, booked, change, record))
            }
        }
        if let problem = record.problem(with: change) {
            return .ends(ChangeEnd(.failed(.unfit(problem)), change, record))
        }
        return .begins(
            OpenAttempt(change, record, service: gateway.service, merchant: key.fingerprint))
    }

    /// How a change of that name ended, whoever asked for it; nil where the books have none.
    private func named(_ change: ChargeChange, _ record: ChargeRecord) -> ChangeEnd? {
        guard let key = IdempotencyKey(named: change) else { return nil }
        guard let booked = record.changes.first(where: { $0.key == key }) else {
            return unlisted(change, record)
        }
        let amount = change.amount ?? (change.kind == .refund ? booked.amount : record.amount(of: change))
        let note = OpenAttempt(
            change.of(amount), record, service: gateway.service, merchant: self.key.fingerprint)
        guard booked.kinship(to: note) == .same else {
            return ChangeEnd(.failed(.unfit("the name was given to another change")), change, record)
        }
        switch booked.status {
        case .done: return earlier(note, booked, change, record)
        case .pending: return perhaps(.pollTimedOut, note, change, record)
        case .failed(let code):
            return ChangeEnd(.failed(.gateway(GatewayError(code, .refused))), change, record)
        }
    }

    /// What books say of a named change that list none under a key: the like of it was done, by this name or by another one. Nil
    /// where it was not: then the charge's own rules say whether it may be done.
    private func unlisted(_ change: ChargeChange, _ record: ChargeRecord) -> ChangeEnd? {
        let note = OpenAttempt(change, record, service: gateway.service, merchant: key.fingerprint)
        guard let booked = record.change(of: note), booked.status == .done,
            booked.kinship(to: note) != .another
        else { return nil }
        return earlier(note, booked, change, record)
    }

    /// What follows from a note that a killed program left behind; nil where its change was not done and never will be.
    private func settled(_ note: OpenAttempt, _ change: ChargeChange, _ record: ChargeRecord) -> Next? {
        switch record.change(of: note)?.status {
        case .done:
            return record.change(of: note).map { .ends(earlier(note, $0, change, record)) }
        case .failed: return nil
        case .pending: return .ends(perhaps(.pollTimedOut, note, change, record))
        case nil: break
        }
        if note.change == .refund, let life = gateway.keyLifetime, !note.isYounger(than: life) {
            return .ends(perhaps(.gateway(.keyMayBeForgotten), note, change, record))
        }
        // Else its own key is safe, however old it seems: this machine's clock may have jumped, the first request may still be
        // on its way, and what is in the books was seen above.
        let isNamed = IdempotencyKey(named: change).map { $0 == note.key } ?? true
        if isNamed, note.change == change.kind, note.tip == change.tip,
            note.amount == record.amount(of: change)
        {
            return .continues(note)
        }
        // However old it seems: it may have been on its way for seconds when the clock jumped.
        return .ends(perhaps(.interrupted, note, change, record))
    }

    private func earlier(
        _ note: OpenAttempt, _ booked: BookedChange, _ change: ChargeChange, _ record: ChargeRecord
    ) -> ChangeEnd {
        switch booked.kinship(to: note) {
        case .another: return perhaps(.anotherAmount, note, change, record)
        case .untold: return perhaps(.notTold, note, change, record)
        case .same: break
        }
        let payment = EarlierPayment(note, .success(booked.charge(note)))
        return ChangeEnd(.perhaps(.earlierPayments([payment])), change, record, note: note)
    }

    private func perhaps(
        _ error: PaymentError, _ note: OpenAttempt, _ change: ChargeChange, _ record: ChargeRecord
    ) -> ChangeEnd {
        let payment = EarlierPayment(note, .possibleSuccess(error))
        return ChangeEnd(.perhaps(.earlierPayments([payment])), change, record, note: note)
    }

    // MARK: Doing it

    /// Looks once more, with the note written: no other program with this journal changes the charge while it stands.
    private func begin(_ change: ChargeChange, _ note: OpenAttempt) async -> ChangeEnd {
        let why: PaymentError?
        var found: ChargeRecord?
        do throws(GatewayError) {
            let record = try await gateway.record(of: change.charge, with: key)
            found = record
            // A till without this journal was at the very same, and asked first: it is done, or the service is at it.
            switch record.change(of: note) {
            // Nothing was asked for yet: under no key it is somebody else's, and there is no second one.
            case let booked? where booked.key == nil && booked.kinship(to: note) == .another: break
            case let booked? where booked.status == .done: return earlier(note, booked, change, record)
            case let booked? where booked.status == .pending:
                return perhaps(.pollTimedOut, note, change, record)
            case _?, nil: break
            }
            why = record.problem(with: change.of(note.amount)).map { .unfit($0) }
        } catch { why = .gateway(error) }
        if let why {
            journal.close(note)
            return ChangeEnd(.failed(why), change, found)
        }
        return await perform(change, note, isContinued: false)
    }

    /// Asks for the change until the books say how it ended, or for as long as the policy says.
    private func perform(_ change: ChargeChange, _ note: OpenAttempt, isContinued: Bool) async -> ChangeEnd {
        let permit = ChangePermit(
            change.of(note.amount), amount: note.amount, of: note.transaction,
            key: note.key ?? IdempotencyKey())
        let (gateway, key) = (gateway, key)
        let start = ContinuousClock.now
        var pause = policy.firstPoll
        var mayBeOnItsWay = isContinued
        var doubt: GatewayError?
        var isInBooks = false
        while true {
            // Once more with the same key: what was lost is done, what was done is not done again.
            if !isInBooks {
                let answer = await shielded { () throws(GatewayError) in
                    try await gateway.change(permit, with: key)
                }
                switch answer {
                case .success(let booked):
                    if let end = self.end(change, note, booked, nil) { return await withRecord(end) }
                    (isInBooks, doubt) = (true, nil)
                case .failure(let error):
                    mayBeOnItsWay = mayBeOnItsWay || error.certainty != .notSent
                    guard mayBeOnItsWay else {
                        journal.close(note)
                        return ChangeEnd(.failed(.gateway(error)), change)
                    }
                    doubt = error
                }
            }
            let books = await shielded { () throws(GatewayError) in
                try await gateway.record(of: permit.change.charge, with: key)
            }
            if case .success(let record) = books, let booked = record.change(of: note) {
                if let end = self.end(change, note, booked, record) { return end }
                (isInBooks, doubt) = (true, nil)
            }
            guard ContinuousClock.now - start < policy.pollTimeout, !Task.isCancelled else {
                let why = doubt.map { PaymentError.gateway($0) } ?? .pollTimedOut
                return ChangeEnd(.perhaps(why), change, try? books.get(), note: note)
            }
            try? await Task.sleep(for: min(pause, policy.longestPause))
            pause = min(pause * 2, policy.longestPause)
        }
    }

    /// The same with the charge as it is now; what is done is done, whether or not that can be had.
    private func withRecord(_ end: ChangeEnd) async -> ChangeEnd {
        let (gateway, key) = (gateway, key)
        let record = await shielded { () throws(GatewayError) in
            try await gateway.record(of: end.change.charge, with: key)
        }
        return ChangeEnd(end.outcome, end.change, try? record.get(), note: end.note?.attempt)
    }

    /// How a change that is like this ended; nil where it is under way.
    private func end(
        _ change: ChargeChange, _ note: OpenAttempt, _ booked: BookedChange, _ record: ChargeRecord?
    ) -> ChangeEnd? {
        switch booked.status {
        case .done:
            switch booked.kinship(to: note) {
            case .same: return ChangeEnd(.done(booked), change, record, note: note)
            case .another: return ChangeEnd(.perhaps(.anotherAmount), change, record, note: note)
            case .untold: return ChangeEnd(.perhaps(.notTold), change, record, note: note)
            }
        case .pending: return nil
        case .failed(let code):
            journal.close(note)
            return ChangeEnd(.failed(.gateway(GatewayError(code, .refused))), change, record)
        }
    }
}

extension OpenAttempt {
    /// A note of a change, before it is asked for.
    init(_ change: ChargeChange, _ record: ChargeRecord, service: String, merchant: String) {
        let amount = record.amount(of: change)
        self.init(
            service: service, transaction: record.transaction, source: SourceID(change.charge.value),
            key: IdempotencyKey(named: change)
                ?? IdempotencyKey(naming: change.of(amount), after: record.changes.count), merchant: merchant,
            amount: amount, description: record.charge.description, time: OpenAttempt.now,
            change: change.kind, tip: change.tip)
    }

    /// Whether it is the note of the very same change: nil for the amount is whatever it was.
    func isAbout(_ change: ChargeChange) -> Bool {
        self.change == change.kind && charge == change.charge && tip == change.tip
            && (change.amount.map { $0 == amount } ?? true)
            && (IdempotencyKey(named: change).map { $0 == key } ?? true)
    }
}
