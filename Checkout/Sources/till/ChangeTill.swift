import ArgumentParser
import Checkout
import Glibc
import Receipts
import Synchronization
import TillScreen

/// Captures, refunds or voids a charge, and says how that ended.
@MainActor
final class ChangeTill {
    private let options: ChangeOptions
    private let receipt: ReceiptOptions
    private let screen = ScreenText(hasUnicode: Screen.hasUnicode)

    init(_ options: ChangeOptions, _ receipt: ReceiptOptions) {
        self.options = options
        self.receipt = receipt
    }

    /// - Throws: the exit status.
    func run(_ change: ChargeChange) async throws {
        Console.openMissing()
        signal(SIGPIPE, SIG_IGN)
        let written = WrittenNote()
        let screen = screen
        let desk = try options.desk { news in
            switch news {
            case .found(let notes): written.set(notes.first)
            case .waiting(let note):
                Console.words(
                    screen.plain("Another till is at \(note.words); waiting for its end ..."), to: 2)
            case .asking, .settled: break
            }
        }
        let result: ChangeResult
        switch desk {
        case .failure(let problem):
            result = ChangeResult(ChangeEnd(failed: problem, change), locale: options.moneyLocale)
        case .success(let (desk, start)):
            result = await Self.end(of: change, decided: start, at: desk, written, options.moneyLocale)
        }
        // What nobody was told stays written down.
        let isTold = options.json ? Console.line(result.json) : Console.words(result.words(screen))
        writeReceipt(result)
        if isTold, let note = result.end?.note, note.mayHaveCharged, case .success(let (desk, _)) = desk {
            desk.acknowledge(note, selling: note.attempt.sale)
        }
        throw ExitCode(result.outcome.exitStatus)
    }

    /// Its end, or what is certain where somebody stops it.
    private static func end(
        of change: ChargeChange, decided start: JournalMark?, at desk: PaymentDesk, _ written: WrittenNote,
        _ locale: MoneyLocale
    ) async -> ChangeResult {
        let (ends, end) = AsyncStream.makeStream(of: ChangeResult.self)
        InputThread.startForSignals {
            let note = written.value
            end.yield(
                note.map { ChangeResult(ChangeEnd(interrupted: $0, change), locale: locale) }
                    ?? ChangeResult(cancelled: change, locale: locale))
        }
        Task {
            let ended = await desk.change(change, decided: start) { written.set($0) }
            end.yield(ChangeResult(ended, locale: locale))
        }
        var first = ends.makeAsyncIterator()
        return await first.next() ?? ChangeResult(cancelled: change, locale: locale)
    }

    private func writeReceipt(_ result: ChangeResult) {
        guard let booked = result.booked, let note = result.end?.note?.attempt else { return }
        let kind: Receipt.Kind =
            switch booked.kind {
            case .capture: .sale
            case .refund: .refund
            case .void: .void
            }
        var receipt = Receipt(
            kind, merchant: self.receipt.heading, description: note.description, amount: booked.amount,
            charge: note.source.value, time: .now)
        receipt.split(tip: booked.tip)
        receipt.order = note.transaction.value
        if let charge = result.end?.record?.charge {
            receipt.approvalCode = charge.approvalCode
            receipt.card = Receipt.Card(ending: charge.maskedNumber, brand: charge.brand, entry: nil)
        }
        self.receipt.write(receipt, options.moneyLocale, screen)
    }
}

/// What is written down, for whoever stops the till.
private final class WrittenNote: Sendable {
    private let note = Mutex<OpenAttempt?>(nil)
    var value: OpenAttempt? { note.withLock { $0 } }
    func set(_ new: OpenAttempt?) { note.withLock { $0 = new } }
}
