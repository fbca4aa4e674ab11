import CheckoutTesting
import Foundation
import Synchronization
import Testing

@testable import Checkout

/// What tests of changes share: a charge, a service that has it, and how a change ended.
enum Changes {
    static let charge = ChargeID("ch_1")
    static let policy = PaymentPolicy(
        firstPoll: .milliseconds(1), longestPause: .milliseconds(5), pollTimeout: .milliseconds(300),
        othersTimeout: .milliseconds(200))

    /// A service with one charge, and tills that share a folder for their notes.
    struct Shop {
        let gateway: ScriptedGateway
        let folder: Folder

        init(keyLifetime: Duration? = nil, _ change: (inout ScriptedCharge) -> Void = { _ in }) throws {
            gateway = ScriptedGateway(keyLifetime: keyLifetime)
            folder = try Folder()
            gateway.chargeBooks.withLock { change(&$0) }
        }

        func journal() throws -> FileJournal { try FileJournal(folder: folder.path("notes")) }

        func desk(_ journal: FileJournal? = nil, isPatient: Bool = false) throws -> PaymentDesk {
            var policy = Changes.policy
            // A fact ends those tests, on a busy machine a late one.
            if isPatient { (policy.pollTimeout, policy.othersTimeout) = (.seconds(180), .seconds(180)) }
            return PaymentDesk(
                .publicKey("pkey_1"), gateway: gateway, journal: try journal ?? self.journal(), policy: policy
            )
        }

        /// The key of what is written down.
        func writtenKey() throws -> IdempotencyKey? {
            let journal = try journal()
            let sale = SaleKey(service: gateway.service, changing: Changes.charge)
            let note = try journal.findings(at: gateway.service, for: sale).abandoned.first
            if let note { journal.release(note, isTold: false) }
            return note?.key
        }

        func notes() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: folder.path("notes")).count {
                $0.hasSuffix(".attempt")
            }
        }

        var requests: [String] { gateway.chargeBooks.withLock { $0.requests } }
        var keys: Set<IdempotencyKey> { gateway.chargeBooks.withLock { Set($0.keys) } }
        func refunded() -> Int { gateway.chargeBooks.withLock { $0.sum(.refund) } }

        /// What a program writes down that is killed before, or after, its request was done.
        func kill(_ change: ChargeChange, isDone: Bool, age: Int = 1) throws {
            let note = OpenAttempt(
                service: gateway.service, transaction: TransactionID("txn_1"), source: SourceID("ch_1"),
                key: IdempotencyKey(), amount: change.amount ?? ScriptedGateway.charge.amount,
                description: "Shoes", time: OpenAttempt.now - age, change: change.kind, tip: change.tip)
            let journal = try journal()
            try journal.open(note)
            // As the kernel does for a dead process.
            journal.release(note, isTold: false)
            guard isDone, let key = note.key else { return }
            gateway.chargeBooks.withLock {
                _ = $0.book(ChangePermit(change, amount: note.amount, of: TransactionID("txn_1"), key: key))
            }
        }
    }

    static func isDone(_ end: ChangeEnd) -> Bool {
        if case .done = end.outcome { true } else { false }
    }

    static func earlier(_ end: ChangeEnd) -> PaymentState? {
        if case .perhaps(.earlierPayments(let payments)) = end.outcome { payments.first?.end } else { nil }
    }
}
