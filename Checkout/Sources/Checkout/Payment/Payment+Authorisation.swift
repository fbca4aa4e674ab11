/// From the authorisation on: money may move, and the attempt must end in what is certain, or say that nothing is.
extension Payment {
    func authorise(_ permit: AuthorisationPermit, _ preparer: any SourceParamsPreparer) async -> PaymentState
    {
        enter(.authorising)
        let (gateway, transaction) = (gateway, transaction)
        let answer = await shielded { () throws(GatewayError) in
            try await gateway.authorise(permit, in: transaction)
        }
        preparer.payment(self, didFinishAuthorisation: answer)
        switch answer {
        case .success(let source):
            enter(.polling)
            return await follow(source.id, Following(known: source.status, doubt: nil), preparer)
        case .failure(let error) where error.certainty == .notSent:
            await release(note(permit))
            return failed(.gateway(error), preparer)
        case .failure(let error):
            // It may have arrived, and may still be on its way; also where somebody says no.
            preparer.latestError = .gateway(error)
            enter(.polling)
            let end = await follow(permit.source, Following(known: nil, doubt: error), preparer)
            return error.code == .conflict ? await namingTheCharge(end, preparer) : end
        }
    }

    /// A transaction is charged once: where this attempt was refused, another one may have paid it.
    private func namingTheCharge(
        _ end: PaymentState, _ preparer: any SourceParamsPreparer
    ) async -> PaymentState {
        guard case .failure = end, let charge = await desk.charge(of: transaction.id) else { return end }
        return failed(.alreadyPaid(charge), preparer)
    }

    /// What is known while a source is followed.
    struct Following {
        /// How the source was when the service last said so; nil before it did.
        var known: PaymentSource.Status?
        /// Why it is not known whether the authorisation arrived.
        let doubt: GatewayError?
        /// Why the latest question was not answered.
        var unanswered: GatewayError?
        var hasShownRedirect = false
        /// Since when it is followed, and since when the service or the customer is at it.
        private let beginning = ContinuousClock.now
        private var start = ContinuousClock.now

        init(known: PaymentSource.Status?, doubt: GatewayError?) {
            self.known = known
            self.doubt = doubt
        }

        /// Takes an answer. The service has its own time once the customer has agreed, however long that took.
        mutating func learn(_ status: PaymentSource.Status) {
            if isRedirected, status == .processing { start = .now }
            known = status
            unanswered = nil
        }

        private var isRedirected: Bool {
            if case .redirect = known { true } else { false }
        }

        func isLate(_ policy: PaymentPolicy) -> Bool {
            let now = ContinuousClock.now
            return now - start >= (isRedirected ? policy.redirectTimeout : policy.pollTimeout)
                || now - beginning >= policy.redirectTimeout + policy.pollTimeout
        }
    }

    /// Asks until the source has ended, or for as long as the policy says.
    func follow(
        _ id: SourceID, _ start: Following, _ preparer: any SourceParamsPreparer
    ) async -> PaymentState {
        var following = start
        var pause = policy.firstPoll
        // An authorisation that may be on its way: the answer to the first question is what there is to go by.
        if following.known == nil { await ask(id, &following, preparer) }
        while true {
            if let end = end(of: following.known, preparer) { return end }
            if case .redirect(let address) = following.known, !following.hasShownRedirect {
                following.hasShownRedirect = true
                preparer.showRedirect(to: address)
            }
            let isLate = following.isLate(policy)
            if mayGiveUp(following.known), shouldStop || isLate || following.known == .pending {
                if let end = await giveUp(id, &following, isLate: isLate, preparer) { return end }
                // The customer agreed just then.
                continue
            }
            if isLate || Task.isCancelled { return doubtful(following, isLate, preparer) }
            try? await Task.sleep(for: min(pause, policy.longestPause))
            pause = min(pause * 2, policy.longestPause)
            await ask(id, &following, preparer)
        }
    }

    private func ask(_ id: SourceID, _ following: inout Following, _ preparer: any SourceParamsPreparer) async
    {
        let (gateway, transaction) = (gateway, transaction)
        let answer = await shielded { () throws(GatewayError) in try await gateway.source(id, in: transaction)
        }
        preparer.payment(self, didPoll: answer, state: PollingState(answer))
        switch answer {
        case .success(let source):
            following.learn(source.status)
        case .failure(let error):
            following.unanswered = error
            preparer.latestError = .gateway(error)
        }
    }

    /// How the attempt ends with a source that is like this; nil when it is not over.
    private func end(
        of status: PaymentSource.Status?, _ preparer: any SourceParamsPreparer
    ) -> PaymentState? {
        switch status {
        case .consumed(let charge) where charge.amount != transaction.amount:
            preparer.latestError = .anotherAmount
            return .possibleSuccess(.anotherAmount)
        case .consumed(let charge): return .success(charge)
        case .failed(let code): return failed(.gateway(GatewayError(code, .refused)), preparer)
        case .cancelled:
            wasGivenUp = true
            return failed(.gateway(GatewayError(.refusedByCustomer, .refused)), preparer)
        case .pending, .redirect, .processing, nil: return nil
        }
    }

    /// Whether a source that is like this can still be given up. One that is being charged cannot.
    private func mayGiveUp(_ status: PaymentSource.Status?) -> Bool {
        switch status {
        case .pending, .redirect: true
        case .processing, .consumed, .failed, .cancelled, nil: false
        }
    }

    /// Puts up the fence: once the service says that the source is cancelled, no request that is still on its way can
    /// charge it. Nil where the service is at it by now.
    private func giveUp(
        _ id: SourceID, _ following: inout Following, isLate: Bool, _ preparer: any SourceParamsPreparer
    ) async -> PaymentState? {
        let (gateway, transaction) = (gateway, transaction)
        let answer = await shielded { () throws(GatewayError) in try await gateway.cancel(id, in: transaction)
        }
        switch answer {
        case .success(let source) where source.status == .cancelled:
            wasGivenUp = true
            if shouldStop { return .cancelled(latestError: preparer.latestError) }
            return failed(following.doubt.map { .gateway($0) } ?? .notAuthorised, preparer)
        case .success(let source) where source.status == .processing:
            following.learn(.processing)
            return nil
        case .success(let source):
            return end(of: source.status, preparer) ?? doubtful(following, isLate, preparer)
        case .failure(let error):
            preparer.latestError = .gateway(error)
            return .possibleSuccess(.gateway(error))
        }
    }

    private func doubtful(
        _ following: Following, _ isLate: Bool, _ preparer: any SourceParamsPreparer
    ) -> PaymentState {
        // Once the service has said how the source is, the authorisation's lost answer is no riddle any more.
        let why = following.unanswered ?? (following.known == nil ? following.doubt : nil)
        let error = why.map { PaymentError.gateway($0) } ?? (isLate ? .pollTimedOut : .interrupted)
        preparer.latestError = error
        if isLate {
            preparer.payment(
                self, didPoll: .failure(why ?? GatewayError(.timedOut, .unknown, error.message)),
                state: .timedOut)
        }
        return .possibleSuccess(error)
    }
}
