import Foundation
import GRDB

/// A source, and what becomes of it.
struct SourceRow {
    var id: String
    var transaction: String
    var outcome: Outcome
    var status: String
    var failure: String?
    var readyAt: Double?
    var first6: String?
    var last4: String?
    var brand: String?

    init(row: Row) throws {
        guard let outcome = Outcome(rawValue: row["outcome"]) else { throw APIError.notFound("outcome") }
        self.init(
            id: row["id"], transaction: row["transaction_id"], outcome: outcome, status: row["status"],
            failure: row["failure"], readyAt: row["ready_at"], first6: row["first6"], last4: row["last4"],
            brand: row["brand"])
    }

    init(
        id: String, transaction: String, outcome: Outcome, status: String, failure: String? = nil,
        readyAt: Double? = nil, first6: String?, last4: String?, brand: String?
    ) {
        self.id = id
        self.transaction = transaction
        self.outcome = outcome
        self.status = status
        self.failure = failure
        self.readyAt = readyAt
        self.first6 = first6
        self.last4 = last4
        self.brand = brand
    }
}

extension Store {
    static func insert(_ source: SourceRow, _ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                source.id, source.transaction, source.outcome.rawValue, source.status, source.failure,
                source.readyAt, source.first6, source.last4, source.brand,
            ])
    }

    static func source(_ id: String, _ database: Database) throws -> SourceRow {
        let found = try Row.fetchOne(database, sql: "SELECT * FROM sources WHERE id = ?", arguments: [id])
        guard let row = found else { throw APIError.notFound("source") }
        return try SourceRow(row: row)
    }

    static func save(_ source: SourceRow, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE sources SET status = ?, failure = ?, ready_at = ? WHERE id = ?",
            arguments: [source.status, source.failure, source.readyAt, source.id])
    }

    /// One source of a transaction is authorised at a time, and one charge is all that it gets: refuses another source of a
    /// transaction that was charged, and gives up those that wait for something.
    static func giveUpOthers(_ source: SourceRow, _ database: Database) throws {
        guard try transaction(source.transaction, database).charge == nil else {
            throw APIError.conflict("the transaction was charged")
        }
        try database.execute(
            sql: """
                UPDATE sources SET status = 'cancelled'
                WHERE transaction_id = ? AND id <> ? AND status IN ('pending', 'redirect')
                """, arguments: [source.transaction, source.id])
    }

    /// Moves the money. The table takes one charge of a source.
    static func charge(_ source: SourceRow, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO charges SELECT ?, ?, id, amount, currency, description, ?, ?, ?, ?,
                    iif(capture = 'manual', 'authorised', 'captured'), tip FROM transactions WHERE id = ?
                """,
            arguments: [
                newName("ch"), source.id, source.first6, source.last4, source.brand, Date().ISO8601Format(),
                source.transaction,
            ])
    }

    /// Authorises a source that nobody has touched yet.
    static func authorise(_ source: SourceRow, slowSeconds: Double, _ database: Database) throws -> SourceRow
    {
        guard source.status == "pending" else { throw APIError.conflict("the source is \(source.status)") }
        var source = source
        switch source.outcome {
        case .approved, .failsAfterCharge, .cutAfterCharge: source.status = "consumed"
        case .slow:
            source.status = "processing"
            source.readyAt = Date().timeIntervalSince1970 + slowSeconds
        case .endless: source.status = "processing"
        case .redirect: source.status = "redirect"
        case .declined, .insufficientFunds, .expired, .wrongCode:
            source.status = "failed"
            source.failure = source.outcome.rawValue
        }
        try save(source, database)
        if source.status == "consumed" || source.status == "processing" { try charge(source, database) }
        return source
    }

    /// The customer's answer on the approval page.
    static func answer(_ source: SourceRow, isApproved: Bool, _ database: Database) throws -> SourceRow {
        guard source.status == "redirect" else { throw APIError.conflict("the source is \(source.status)") }
        var source = source
        source.status = isApproved ? "consumed" : "failed"
        source.failure = isApproved ? nil : "refused_by_customer"
        try save(source, database)
        if isApproved { try charge(source, database) }
        return source
    }

    /// Gives a source up that is not being charged; leaves others as they are.
    static func cancel(_ source: SourceRow, _ database: Database) throws -> SourceRow {
        guard source.status == "pending" || source.status == "redirect" else { return source }
        var source = source
        source.status = "cancelled"
        try save(source, database)
        return source
    }

    /// A slow source whose time has come.
    static func settled(_ source: SourceRow, _ database: Database) throws -> SourceRow {
        guard source.status == "processing", let readyAt = source.readyAt,
            readyAt <= Date().timeIntervalSince1970
        else { return source }
        var source = source
        source.status = "consumed"
        try save(source, database)
        return source
    }

    /// The source as the API shows it; the charge only once the source is consumed.
    static func wire(_ source: SourceRow, base: String, _ database: Database) throws -> Wire.Source {
        var wire = Wire.Source(
            id: source.id, transaction: source.transaction, status: source.status, failure: source.failure)
        if source.status == "redirect" { wire.redirectURL = "\(base)/approve/\(source.id)" }
        if source.status == "consumed" {
            wire.charge = try Row.fetchOne(
                database, sql: "SELECT * FROM charges WHERE source_id = ?", arguments: [source.id]
            ).map(Wire.Charge.init(row:))
        }
        return wire
    }
}
