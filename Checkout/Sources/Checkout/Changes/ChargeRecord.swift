/// A change as the payment service has it in its books.
public struct BookedChange: Sendable, Hashable {
    /// How it stands.
    public enum Status: Sendable, Hashable {
        /// It was done.
        case done
        /// The service is at it.
        case pending
        /// It was refused, and will never be done under its key.
        case failed(GatewayError.Code)
    }

    /// The service's name for it.
    public let id: String
    /// What it is.
    public let kind: ChargeChange.Kind
    /// How much, with the tip.
    public let amount: Money
    /// How much of it is a tip; nil for nothing, and without a ``key`` for what the service does not tell.
    public let tip: Money?
    /// The idempotency key that it was asked for with; nil where the service does not tell, of a capture or a void.
    public let key: IdempotencyKey?
    /// How it stands.
    public let status: Status

    /// A change. Gateways make them from the service's answers.
    public init(
        id: String, kind: ChargeChange.Kind, amount: Money, tip: Money? = nil, key: IdempotencyKey?,
        status: Status
    ) {
        self.id = id
        self.kind = kind
        self.amount = amount
        self.tip = tip
        self.key = key
        self.status = status
    }
}

/// A charge with all that was done to it, as the payment service has it in its books.
public struct ChargeRecord: Sendable, Hashable {
    /// How a charge stands.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The amount is held on the card, no money has moved. Money has moved. It was taken back.
        case authorised, captured, voided
    }

    /// The charge, with the amount that was authorised.
    public let charge: Charge
    /// The payment that it belongs to.
    public let transaction: TransactionID
    /// How it stands.
    public let status: Status
    /// The most that can be captured, tips included; nothing once that was done.
    public let capturable: Money
    /// How much has moved to the merchant.
    public let captured: Money
    /// How much of that has gone back, or is about to.
    public let refunded: Money
    /// What was done to it, oldest first; also what is under way, and what was refused.
    public let changes: [BookedChange]
    /// Whether the service voids what is captured and not settled yet.
    private let isVoidedOnceCaptured: Bool
    /// Whether the service refunds it now: some do not before it is settled.
    private let isRefundedNow: Bool

    /// A record. Gateways make them from the service's answers.
    ///
    /// - Returns: nil where the amounts do not fit together.
    public init?(
        charge: Charge, transaction: TransactionID, status: Status, capturable: Money, captured: Money,
        refunded: Money, changes: [BookedChange], isVoidedOnceCaptured: Bool = true,
        isRefundedNow: Bool = true
    ) {
        let currencies = [capturable, captured, refunded].map(\.currency) + changes.map(\.amount.currency)
        guard currencies.allSatisfy({ $0 == charge.amount.currency }),
            refunded.minorUnits <= captured.minorUnits
        else { return nil }
        self.charge = charge
        self.transaction = transaction
        self.status = status
        self.capturable = capturable
        self.captured = captured
        self.refunded = refunded
        self.changes = changes
        self.isVoidedOnceCaptured = isVoidedOnceCaptured
        self.isRefundedNow = isRefundedNow
    }

    /// What can still be refunded. What is under way counts as gone.
    public var refundable: Money {
        guard status == .captured else { return Money(nothingIn: captured.currency) }
        let listed = changes.reduce(0) { sum, change in
            guard change.kind == .refund else { return sum }
            switch change.status {
            case .done, .pending: return sum + change.amount.minorUnits
            case .failed: return sum
            }
        }
        let left = captured.minorUnits - max(refunded.minorUnits, listed)
        return Money(minorUnits: max(left, 0), currency: captured.currency)
            ?? Money(nothingIn: captured.currency)
    }

    /// The change that was written down: by its key; a void or a capture, which is done once whoever asks, also where the service tells
    /// none.
    public func change(of note: OpenAttempt) -> BookedChange? {
        changes.first { $0.key != nil && $0.key == note.key }
            ?? changes.first { $0.key == nil && $0.kind == note.change && $0.kind != .refund }
    }

    /// How much a change would move.
    func amount(of change: ChargeChange) -> Money {
        switch change.kind {
        case .capture: change.amount ?? charge.amount
        case .refund: change.amount ?? refundable
        case .void: charge.amount
        }
    }

    /// Why a change cannot be done; nil where it can. The service holds the same rules.
    func problem(with change: ChargeChange) -> String? {
        let amount = amount(of: change)
        guard amount.currency == charge.amount.currency else {
            return "the charge is in \(charge.amount.currency.code)"
        }
        switch change.kind {
        case .capture: return captureProblem(amount, change.tip)
        case .refund:
            guard status == .captured else {
                return "the charge is \(status.rawValue), nothing can be refunded"
            }
            guard isRefundedNow else {
                return "the charge is not settled yet: it can be voided, or refunded later"
            }
            guard amount.minorUnits > 0, amount.minorUnits <= refundable.minorUnits else {
                return "of the charge \(refundable) can still be refunded"
            }
        case .void:
            guard status != .voided else { return "the charge is voided already" }
            guard status != .captured || isVoidedOnceCaptured else {
                return "the charge is captured: it can be refunded, not voided"
            }
            guard refunded.minorUnits == 0 else { return "a part of the charge was refunded" }
        }
        return nil
    }

    private func captureProblem(_ amount: Money, _ tip: Money?) -> String? {
        guard status == .authorised else {
            return "the charge is \(status.rawValue), nothing can be captured"
        }
        guard amount.minorUnits > 0, amount.minorUnits <= capturable.minorUnits else {
            return "of the charge \(capturable) can be captured"
        }
        guard let tip else { return nil }
        guard tip.currency == amount.currency, tip.minorUnits <= amount.minorUnits else {
            return "the tip is a part of the amount"
        }
        return nil
    }
}
