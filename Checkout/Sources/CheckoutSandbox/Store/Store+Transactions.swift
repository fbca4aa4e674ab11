import GRDB

extension Store {
    /// What may pay for a transaction here.
    static let methods = [
        Wire.Method(id: "card", kind: "credit_card", name: nil, flow: "in_place"),
        Wire.Method(id: "swipe", kind: "swipe", name: nil, flow: "in_place"),
        Wire.Method(id: "sandpay", kind: "wallet", name: "SandPay", flow: "redirect"),
    ]

    static func openTransaction(_ new: Wire.NewTransaction, key: String, _ database: Database) throws
        -> Answer
    {
        let transaction = Wire.Transaction(
            id: newName("txn"), token: newName("tok"), description: new.description, amount: new.amount,
            currency: new.currency, methods: methods, key: key)
        try database.execute(
            sql: "INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                transaction.id, transaction.token, transaction.description, transaction.amount,
                transaction.currency, new.tip, new.capture ?? "automatic",
            ])
        return try Answer(201, transaction)
    }

    static func transaction(_ id: String, _ database: Database) throws -> Wire.Transaction {
        let found = try Row.fetchOne(
            database, sql: "SELECT * FROM transactions WHERE id = ?", arguments: [id])
        guard let row = found else { throw APIError.notFound("transaction") }
        return Wire.Transaction(
            id: row["id"], token: row["token"], description: row["description"], amount: row["amount"],
            currency: row["currency"], methods: methods, charge: try firstCharge(of: id, database))
    }

    private static func firstCharge(of transaction: String, _ database: Database) throws -> Wire.Charge? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM charges WHERE transaction_id = ? ORDER BY rowid",
            arguments: [transaction]
        ).map(Wire.Charge.init(row:))
    }
}
