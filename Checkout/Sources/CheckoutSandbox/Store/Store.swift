import Foundation
import GRDB

/// The sandbox's books: an SQLite database in a file or in memory.
///
/// Everything that a request does happens in one database transaction, together with the note under its idempotency
/// key: either all of it is there, or nothing.
struct Store: Sendable {
    let database: any DatabaseWriter
    /// For how many seconds keys are remembered.
    private let keySeconds: Double

    /// Opens a file, or for nil a database in memory.
    init(path: String?, keySeconds: Double) throws {
        self.keySeconds = keySeconds
        var configuration = Configuration()
        configuration.label = "sandbox"
        database =
            if let path { try DatabaseQueue(path: path, configuration: configuration) } else {
                try DatabaseQueue(configuration: configuration)
            }
        try database.write { try Schema.create($0) }
    }

    /// Does what a request asks for, once for each key: a repeated one gets the answer of the first one, for as long as keys
    /// are remembered.
    ///
    /// - Parameters:
    ///   - key: the request's idempotency key.
    ///   - fingerprint: what the request asks for, without card data; another one under the same key is refused.
    ///   - isKept: whether the key is remembered for good.
    /// - Returns: the answer, and whether it was given before.
    func once(
        key: String, fingerprint: String, isKept: Bool = false,
        _ work: @escaping @Sendable (Database) throws -> Answer
    ) async throws -> (answer: Answer, isRepeated: Bool) {
        let now = Date().timeIntervalSince1970
        let keySeconds = isKept ? now : keySeconds
        return try await database.write { database in
            if let row = try Row.fetchOne(
                database, sql: "SELECT * FROM requests WHERE key = ? AND created > ?",
                arguments: [key, now - keySeconds])
            {
                guard row["fingerprint"] as String == fingerprint else {
                    throw APIError.conflict("this idempotency key was used for something else")
                }
                return (Answer(status: row["status"], body: row["body"]), true)
            }
            let answer = try work(database)
            try database.execute(
                sql: "INSERT OR REPLACE INTO requests VALUES (?, ?, ?, ?, ?)",
                arguments: [key, fingerprint, answer.status, answer.body, now])
            return (answer, false)
        }
    }

    /// Every charge, oldest first.
    func charges() async throws -> [Wire.Charge] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM charges ORDER BY rowid").map(
                Wire.Charge.init(row:))
        }
    }
}

extension Wire.Charge {
    init(row: Row) {
        self.init(
            id: row["id"], transaction: row["transaction_id"], amount: row["amount"],
            currency: row["currency"],
            description: row["description"], first6: row["first6"], last4: row["last4"], brand: row["brand"],
            approvalCode: Self.approvalCode(row["id"]), created: row["created"], status: row["status"],
            tip: row["tip"])
    }

    /// What a card's bank would say: six letters and digits.
    private static func approvalCode(_ charge: String) -> String { String(charge.suffix(6)).uppercased() }
}

/// Names for what the store makes: a prefix and 96 random bits.
func newName(_ prefix: String) -> String {
    prefix + "_"
        + (0..<3).map { _ in
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
}
