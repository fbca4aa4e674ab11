import Checkout
import TillScreen

/// What nobody can ask about any more, with a key that is not good any more for one: a person who has looked it up says that it
/// may be forgotten.
enum ForgottenPayment {
    /// Forgets what is written down of a transaction, once somebody says yes.
    ///
    /// - Returns: the exit status.
    static func forget(_ transaction: TransactionID, in folder: String) -> Int32 {
        do throws(PaymentJournalError) {
            let journal = try FileJournal(folder: folder)
            let findings = try journal.findings(of: transaction)
            if let busy = findings.underWay.first {
                return end("Not forgotten: a till is at it: \(busy.words).", 1)
            }
            guard !findings.abandoned.isEmpty else {
                return end("Nothing of transaction \(transaction) is written down in \(folder).", 1)
            }
            for attempt in findings.abandoned { say("\(attempt.words), at \(attempt.service)") }
            say(
                "Whoever sells this anew will not be warned. Look it up in the payment service's books first."
            )
            say("Forget it? Type yes and Enter:")
            guard readLine() == "yes" else { return end("Not forgotten.", 1) }
            for attempt in findings.abandoned { journal.close(attempt) }
            return end("Forgotten.", 0)
        } catch {
            return end(PaymentError(error).message, 1)
        }
    }

    private static func say(_ line: String) {
        Console.words(ScreenText(hasUnicode: Screen.hasUnicode).plain(line))
    }

    private static func end(_ line: String, _ status: Int32) -> Int32 {
        say(line)
        return status
    }
}
