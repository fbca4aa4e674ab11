/// What a killed program left behind.
extension Payment {
    /// Finds out how an attempt ended that was under way when its program was killed, and gives it up where it has not
    /// ended: nobody waits for it any more.
    ///
    /// - Parameter source: the attempt's, from the journal.
    /// - Returns: success where the money moved; failure or cancelled where it did not and never will, so that it may be
    ///   paid anew; possible success where nobody can say.
    /// - Throws: ``PaymentIsNotIdle`` when an attempt is under way, or the payment is over.
    @discardableResult
    func resume(_ source: SourceID) async throws(PaymentIsNotIdle) -> PaymentState {
        guard enter(.polling) else { throw PaymentIsNotIdle(state: state) }
        requestCancel()
        let nobody = Nobody()
        let broken = GatewayError(.interrupted, .unknown)
        return finish(await follow(source, Following(known: nil, doubt: broken), nobody), nobody)
    }

    /// Stands where a preparer would: what is resumed has been prepared.
    private final class Nobody: SourceParamsPreparer {
        var latestError: PaymentError?
        func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? { nil }
    }
}
