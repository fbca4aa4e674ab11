import CardData
import Synchronization

@testable import Checkout

/// The scripted service's one charge, `ch_1` of 4.40, and what is done to it.
struct ScriptedCharge: Sendable {
    var status = ChargeRecord.Status.captured
    var changes: [BookedChange] = []
    /// What changes and questions meet.
    var change: [ScriptedGateway.Step] = []
    var question: [ScriptedGateway.Step] = []
    /// How a change is booked.
    var booked = BookedChange.Status.done
    /// What is booked whatever was asked for.
    var booksInstead: ChargeChange?
    /// Whether its books say with which key, and which tip, it was captured or voided.
    var listsKeys = true
    /// Whether pending changes are done when somebody asks.
    var settles = true
    var requests: [String] = []
    /// The keys of all changes that were asked for.
    var keys: [IdempotencyKey] = []

    func sum(_ kind: ChargeChange.Kind) -> Int {
        changes.filter { $0.kind == kind && $0.status == .done }.reduce(0) { $0 + $1.amount.minorUnits }
    }

    var record: ChargeRecord? {
        let amount = ScriptedGateway.charge.amount
        let nothing = Money(nothingIn: amount.currency)
        let captured = status == .captured ? (sum(.capture) == 0 ? amount.minorUnits : sum(.capture)) : 0
        return ChargeRecord(
            charge: ScriptedGateway.charge, transaction: TransactionID("txn_1"), status: status,
            capturable: status == .authorised ? amount : nothing,
            captured: Money(minorUnits: captured, currency: amount.currency) ?? nothing,
            refunded: Money(minorUnits: min(sum(.refund), captured), currency: amount.currency) ?? nothing,
            changes: listsKeys ? changes : changes.map(Self.withoutKey))
    }

    private static func withoutKey(_ change: BookedChange) -> BookedChange {
        guard change.kind != .refund else { return change }
        return BookedChange(
            id: change.id, kind: change.kind, amount: change.amount, key: nil, status: change.status)
    }

    /// Books a change, once for its key.
    mutating func book(_ permit: ChangePermit) -> BookedChange {
        keys.append(permit.key)
        if let known = changes.first(where: { $0.key == permit.key }) { return known }
        let new = BookedChange(
            id: "chg_\(changes.count + 1)", kind: permit.change.kind,
            amount: booksInstead?.amount ?? permit.amount,
            tip: (booksInstead ?? permit.change).tip, key: permit.key, status: booked)
        changes.append(new)
        if booked == .done {
            switch permit.change.kind {
            case .capture: status = .captured
            case .void: status = .voided
            case .refund: break
            }
        }
        return new
    }
}

extension ScriptedGateway {
    func record(of charge: ChargeID, with key: APIKey) async throws(GatewayError) -> ChargeRecord {
        try ask("record", \.question) { books in
            if books.settles {
                books.changes = books.changes.map { change in
                    change.status == .pending
                        ? BookedChange(
                            id: change.id, kind: change.kind, amount: change.amount, tip: change.tip,
                            key: change.key, status: .done) : change
                }
            }
            return books.record
        }
    }

    func change(_ permit: ChangePermit, with key: APIKey) async throws(GatewayError) -> BookedChange {
        try ask(permit.change.kind.rawValue, \.change) { $0.book(permit) }
    }

    private func ask<Value>(
        _ name: String, _ steps: WritableKeyPath<ScriptedCharge, [Step]>,
        _ work: (inout ScriptedCharge) -> Value?
    ) throws(GatewayError) -> Value {
        let result: Result<Value, GatewayError> = chargeBooks.withLock { books in
            books.requests.append(name)
            let step = books[keyPath: steps].isEmpty ? .works : books[keyPath: steps].removeFirst()
            let missing = GatewayError(.badAnswer, .unknown)
            switch step {
            case .works: return work(&books).map { .success($0) } ?? .failure(missing)
            case .failsBefore(let error): return .failure(error)
            case .failsAfter(let error):
                _ = work(&books)
                return .failure(error)
            }
        }
        return try result.get()
    }
}
