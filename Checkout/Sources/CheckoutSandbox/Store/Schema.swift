import GRDB

/// The tables. Of a card there are the first six and the last four digits and nothing more; there is no column for a
/// code, a track or a ciphertext.
enum Schema {
    static func create(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS transactions (
                    id TEXT PRIMARY KEY, token TEXT NOT NULL, description TEXT NOT NULL,
                    amount INTEGER NOT NULL, currency TEXT NOT NULL, tip INTEGER, capture TEXT NOT NULL);
                CREATE TABLE IF NOT EXISTS sources (
                    id TEXT PRIMARY KEY, transaction_id TEXT NOT NULL REFERENCES transactions(id),
                    outcome TEXT NOT NULL, status TEXT NOT NULL, failure TEXT, ready_at REAL,
                    first6 TEXT, last4 TEXT, brand TEXT);
                CREATE TABLE IF NOT EXISTS charges (
                    id TEXT PRIMARY KEY, source_id TEXT NOT NULL UNIQUE REFERENCES sources(id),
                    transaction_id TEXT NOT NULL REFERENCES transactions(id), amount INTEGER NOT NULL,
                    currency TEXT NOT NULL, description TEXT NOT NULL, first6 TEXT, last4 TEXT, brand TEXT,
                    created TEXT NOT NULL, status TEXT NOT NULL, tip INTEGER);
                CREATE TABLE IF NOT EXISTS changes (
                    id TEXT PRIMARY KEY, charge_id TEXT NOT NULL REFERENCES charges(id), key TEXT NOT NULL,
                    kind TEXT NOT NULL, amount INTEGER NOT NULL, tip INTEGER, status TEXT NOT NULL, failure TEXT,
                    ready_at REAL, created TEXT NOT NULL);
                CREATE INDEX IF NOT EXISTS changes_by_charge ON changes(charge_id);
                CREATE INDEX IF NOT EXISTS charges_by_transaction ON charges(transaction_id);
                CREATE TABLE IF NOT EXISTS requests (
                    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
                    created REAL NOT NULL);
                """)
    }
}
