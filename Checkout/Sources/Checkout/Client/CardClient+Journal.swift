/// What a client's journal holds, its own and what killed programs left behind.
struct ClientNotes {
    /// What the client wrote down itself, of which money moved, or may have.
    var written: [TransactionID: OpenAttempt] = [:]
    /// What was left behind and is not answered; nil before anybody looked.
    var unsettled: [OpenAttempt]?
    /// What was left behind and of which money moved, or may have.
    var earlier: [EarlierPayment] = []
    /// Asks the service. Everybody who wants to pay meanwhile waits for the same answer.
    var settling: Task<Result<[EarlierPayment], CaptureError>, Never>?

    /// How many of the client's own may wait to be acknowledged.
    static let mostWritten = 1_024
}

extension CardClient {
    /// Asks the payment service about the payments that killed programs left behind.
    ///
    /// - Returns: those of which money moved, or may have, and that nobody has acknowledged. The others are forgotten.
    /// - Throws: ``CaptureError/journalUnreadable``.
    public func earlierPayments() async throws(CaptureError) -> [EarlierPayment] {
        guard let journal else { return [] }
        let settling = notes.settling ?? Task { await settle(journal) }
        notes.settling = settling
        return try await settling.value.get()
    }

    /// A person, or the merchant's own books, know how this order ended: the journal forgets it. One of which the service
    /// could not be asked stays, and is asked about again.
    public func acknowledge(_ orderID: TransactionID) {
        if let attempt = notes.written.removeValue(forKey: orderID) { journal?.close(attempt) }
        for payment in notes.earlier where payment.attempt.transaction == orderID {
            journal?.close(payment.attempt)
        }
        notes.earlier.removeAll { $0.attempt.transaction == orderID }
    }

    func refuseBeforeAcknowledgement() async throws(CaptureError) {
        let earlier = try await earlierPayments()
        guard earlier.isEmpty else { throw .earlierPayments(earlier) }
        guard notes.written.count < ClientNotes.mostWritten else {
            throw .failed(.unfit("too many payments wait to be acknowledged"))
        }
    }

    private func settle(_ journal: any PaymentJournal) async -> Result<[EarlierPayment], CaptureError> {
        defer { notes.settling = nil }
        if notes.unsettled == nil {
            do throws(PaymentJournalError) { notes.unsettled = try journal.left() } catch {
                return .failure(.journalUnreadable)
            }
        }
        var unanswered: [EarlierPayment] = []
        for attempt in notes.unsettled ?? [] {
            let payment = await EarlierPayment.settle(attempt, with: key, gateway: gateway, policy: policy)
            if payment.isUnanswered { unanswered.append(payment) } else { keep(payment, journal) }
        }
        return .success(notes.earlier + unanswered)
    }

    /// Takes the service's answer. The order of a payment that was charged, or may have been, is over for good.
    private func keep(_ payment: EarlierPayment, _ journal: any PaymentJournal) {
        notes.unsettled?.removeAll { $0 == payment.attempt }
        let id = payment.attempt.transaction
        switch payment.end {
        case .success: close(id, .alreadyCaptured(id))
        case .possibleSuccess(let error): close(id, .possibleSuccess(orderID: id, error))
        case .idle, .inProgress, .failure, .cancelled: return journal.close(payment.attempt)
        }
        notes.earlier.append(payment)
    }
}
