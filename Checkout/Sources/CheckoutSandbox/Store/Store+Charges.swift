import Foundation
import GRDB

/// What is done to charges: captures, refunds and voids.
///
/// A change has one row under its idempotency key, also where it was refused: so a refusal is for good, and a request that
/// comes late finds it.
extension Store {
    /// How much of an authorised amount may be captured on top, as a tip, in percent of it.
    static let mostTip = 20

    static func record(of charge: String, _ database: Database) throws -> Wire.ChargeRecord {
        let found = try Row.fetchOne(database, sql: "SELECT * FROM charges WHERE id = ?", arguments: [charge])
        guard let row = found else { throw APIError.notFound("charge") }
        let wire = Wire.Charge(row: row)
        let changes = try Row.fetchAll(
            database, sql: "SELECT * FROM changes WHERE charge_id = ? ORDER BY rowid", arguments: [charge]
        ).map { Wire.Change(row: $0, currency: wire.currency) }
        let sum = { (kind: String) in
            changes.filter { $0.kind == kind && $0.status != "failed" }.reduce(0) { $0 + $1.amount }
        }
        let captures = changes.contains { $0.kind == "capture" && $0.status != "failed" }
        let isHeld = wire.status == "authorised"
        let captured = isHeld || wire.status == "voided" ? 0 : captures ? sum("capture") : wire.amount
        return Wire.ChargeRecord(
            id: wire.id, transaction: wire.transaction, status: wire.status, amount: wire.amount,
            capturable: isHeld ? wire.amount + wire.amount / 100 * mostTip : 0, captured: captured,
            refunded: sum("refund"), currency: wire.currency, description: wire.description,
            first6: wire.first6, last4: wire.last4, brand: wire.brand, approvalCode: wire.approvalCode,
            tip: changes.last { $0.kind == "capture" && $0.status == "done" }?.tip ?? wire.tip,
            changes: changes)
    }

    /// Books a change, or its refusal, under its key.
    static func change(
        _ charge: String, _ new: Wire.NewChange, key: String, slowSeconds: Double, _ database: Database
    ) throws -> Wire.Change {
        let record = try record(of: charge, database)
        let failure = failure(of: new, record)
        let outcome = try outcome(of: charge, database)
        let isSlow = failure == nil && new.kind == "refund" && (outcome == .slow || outcome == .endless)
        let status = failure != nil ? "failed" : isSlow ? "pending" : "done"
        let readyAt = isSlow && outcome == .slow ? Date().timeIntervalSince1970 + slowSeconds : nil
        let id = newName(["capture": "cap", "refund": "re"][new.kind] ?? "void")
        try database.execute(
            sql: "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                id, charge, key, new.kind, new.amount, new.tip, status, failure, readyAt,
                Date().ISO8601Format(),
            ])
        if failure == nil, new.kind != "refund" {
            try database.execute(
                sql: "UPDATE charges SET status = ? WHERE id = ?",
                arguments: [new.kind == "void" ? "voided" : "captured", charge])
        }
        return Wire.Change(
            id: id, charge: charge, kind: new.kind, amount: new.amount, currency: record.currency,
            tip: new.tip, key: key, status: status, failure: failure, created: "")
    }

    /// Why the books refuse a change; nil where they take it.
    private static func failure(of new: Wire.NewChange, _ record: Wire.ChargeRecord) -> String? {
        guard new.currency == record.currency else { return "bad_request" }
        switch new.kind {
        case "capture":
            guard record.status == "authorised" else { return "conflict" }
            let tip = new.tip ?? 0
            guard new.amount > 0, (0...new.amount).contains(tip) else { return "amount_too_large" }
            let fits = new.amount <= record.capturable && new.amount - tip <= record.amount
            return fits ? nil : "amount_too_large"
        case "refund":
            guard record.status == "captured" else { return "conflict" }
            return new.amount > 0 && new.amount <= record.captured - record.refunded
                ? nil : "amount_too_large"
        case "void":
            let isWhole = record.refunded == 0 && new.amount == record.amount
            return record.status != "voided" && isWhole ? nil : "conflict"
        default: return "bad_request"
        }
    }

    /// What the card does that was charged.
    static func outcome(of charge: String, _ database: Database) throws -> Outcome? {
        try String.fetchOne(
            database,
            sql: "SELECT outcome FROM sources JOIN charges ON source_id = sources.id WHERE charges.id = ?",
            arguments: [charge]
        ).flatMap(Outcome.init(rawValue:))
    }

    /// Slow refunds whose time has come.
    static func settleChanges(of charge: String, _ database: Database) throws {
        try database.execute(
            sql:
                "UPDATE changes SET status = 'done' WHERE charge_id = ? AND status = 'pending' AND ready_at <= ?",
            arguments: [charge, Date().timeIntervalSince1970])
    }

    /// Every charge and every change, oldest first.
    func ledger() async throws -> Wire.Ledger {
        let changes = try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT changes.*, currency FROM changes JOIN charges ON charge_id = charges.id
                    ORDER BY changes.rowid
                    """
            ).map { Wire.Change(row: $0, currency: $0["currency"]) }
        }
        return Wire.Ledger(charges: try await charges(), changes: changes)
    }
}

extension Wire.Change {
    init(row: Row, currency: String) {
        self.init(
            id: row["id"], charge: row["charge_id"], kind: row["kind"], amount: row["amount"],
            currency: currency, tip: row["tip"], key: row["key"], status: row["status"],
            failure: row["failure"], created: row["created"])
    }
}
