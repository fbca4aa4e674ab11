internal import Checkout

/// How a payment or a refund of Payroc's stands: the one table where its `status` is read.
///
///     status                      a payment                                   a refund
///     declined, referral, pickup  never charged                               not done
///     reversal                    taken back                                  not done
///     expired                     a hold that fell off; else nobody knows     perhaps done
///     ready, pending              held, where it can be captured; a ready     done; pending: the service is at it
///                                 one that cannot be any more is captured
///     complete                    captured                                    done
///     admin, accepted, returned   nobody knows                                perhaps done
///     another word                nobody knows                                the books cannot be read
///
/// The service lists `admin`, `accepted` and `returned` and says nowhere what they mean of a card's payment. What nobody knows is
/// perhaps paid: no answer, so it is asked about until the time is over, and it is in its order's way. A refund that is
/// perhaps done counts as gone, and is not asked for again.
extension PayrocAnswers {
    /// How a payment stands, in the words of this library.
    enum Standing: Sendable, Hashable { case held, captured, reversed, declined }

    /// The words of `status`.
    enum Word: String, Sendable, CaseIterable {
        case ready, pending, complete, declined, referral, pickup, reversal, expired
        case admin, accepted, returned
    }

    /// Nil where nobody knows.
    ///
    /// ASSUMPTION: what was held and has expired can be captured by nobody any more.
    static func standing(_ wire: Payment) -> Standing? {
        guard let word = Word(rawValue: wire.transactionResult.status) else { return nil }
        switch word {
        case .declined, .referral, .pickup: return .declined
        case .reversal: return .reversed
        case .expired: return wire.transactionResult.type == "preAuthorization" ? .reversed : nil
        case .ready, .pending, .complete:
            return wire.transactionResult.responseCode == "A" ? approved(wire, word) : nil
        case .admin, .accepted, .returned: return nil
        }
    }

    /// ASSUMPTION: `supportedOperations` has `capture` while a payment can be captured, and not after that. Where it stays, what was
    /// captured is taken for held and given up, so that nothing is paid; where it is missing, nobody knows.
    private static func approved(_ wire: Payment, _ word: Word) -> Standing? {
        let isCapturable = wire.supports("capture")
        switch (wire.transactionResult.type, word) {
        case ("preAuthorization", .ready), ("preAuthorization", .pending), ("sale", .pending):
            return isCapturable ? .held : nil
        case ("sale", .ready): return isCapturable ? .held : .captured
        case ("sale", .complete), ("preAuthorizationCompletion", .ready),
            ("preAuthorizationCompletion", .complete):
            return .captured
        case (_, _): return nil
        }
    }

    /// How a refund stands.
    static func refunded(_ word: Word) -> BookedChange.Status {
        switch word {
        case .ready, .complete: .done
        case .declined, .referral, .pickup, .reversal: .failed(.declined)
        case .pending, .expired, .admin, .accepted, .returned: .pending
        }
    }
}
