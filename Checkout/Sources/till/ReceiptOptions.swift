import ArgumentParser
import Checkout
import Glibc
import ReceiptPDF
import Receipts
import TillScreen

/// The receipt of a payment that succeeded, and where it goes.
struct ReceiptOptions: ParsableArguments {
    @Option(
        name: .customLong("receipt"),
        help:
            "Write a receipt of a payment into this file, a PDF where its name ends with .pdf; - for standard output."
    )
    var path: String?
    @Option(
        name: .customLong("receipt-columns"),
        help: "How many letters the receipt has in a line: 32 for paper of 58 mm, 42 for 80 mm.")
    var columns = 42
    @Option(
        name: .customLong("receipt-font"),
        help: "A TrueType file with letters of equal width, for a PDF in other letters than Western Europe's."
    )
    var font: String?
    @Option(
        help:
            "A line at the top of the receipt, the merchant's name; once more for each further line. $TILL_MERCHANT."
    )
    var merchant: [String] = []

    private var isPDF: Bool { path?.lowercased().hasSuffix(".pdf") == true }

    /// Looks at them before anything is paid: a receipt that cannot be written is then found out too late.
    func check(json: Bool) throws {
        guard let path else { return }
        guard ReceiptText.widths.contains(columns) else {
            throw ValidationError(
                "a receipt has \(ReceiptText.widths.map(String.init).joined(separator: " or ")) columns")
        }
        guard path != "-" else {
            if json {
                throw ValidationError("with --json the receipt needs a file: standard output is the result's")
            }
            return
        }
        if isPDF, !ReceiptPDF.isBuiltIn { throw ValidationError("\(ReceiptPDFError.notBuiltIn)") }
        let folder =
            path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/" : "."
        guard access(access(path, F_OK) == 0 ? path : folder, W_OK) == 0 else {
            throw ValidationError("no receipt can be written to \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Writes the receipt of what was paid; nothing otherwise. The payment stays paid where that fails.
    func write(_ result: TillResult, _ context: TillContext) {
        guard result.outcome == .paid, let charge = result.charge else { return }
        write(receipt(result, charge), context.locale, context.screen)
    }

    /// Writes a receipt, where one is wanted.
    func write(_ receipt: Receipt, _ locale: MoneyLocale, _ screen: ScreenText) {
        guard let path else { return }
        let text = ReceiptText(
            receipt, columns: columns, locale: locale, hasUnicode: path == "-" ? screen.hasUnicode : true)
        if path == "-" {
            Console.write("\n" + text.text)
            return
        }
        do throws(ReceiptPDFError) {
            let bytes = isPDF ? try ReceiptPDF.bytes(text, font: font) : Array(text.text.utf8)
            if let problem = Self.save(bytes, path) { say("\(path): \(problem)") }
        } catch {
            say("\(error)")
        }
    }

    private func say(_ why: String) { Console.words("till: done, but there is no receipt: \(why)", to: 2) }

    /// What stands at the top.
    var heading: [String] {
        merchant.isEmpty ? Screen.variable("TILL_MERCHANT").map { [$0] } ?? [] : merchant
    }

    private func receipt(_ result: TillResult, _ charge: Charge) -> Receipt {
        var receipt = Receipt(
            charge.isCaptured ? .sale : .authorisation, merchant: heading, description: result.description,
            amount: charge.amount, charge: charge.id, time: .now)
        receipt.split(tip: charge.tip)
        receipt.order = result.order ?? result.record?.attempt.transaction.value
        receipt.approvalCode = charge.approvalCode
        if let entry = result.entry.flatMap(CardEntry.init(rawValue:)) {
            receipt.card = Receipt.Card(ending: charge.maskedNumber, brand: charge.brand, entry: entry)
        }
        return receipt
    }

    /// Why the file cannot be written; nil where it was.
    private static func save(_ bytes: [UInt8], _ path: String) -> String? {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        return Console.write(bytes, to: descriptor) ? nil : String(cString: strerror(errno))
    }
}

extension ReceiptTime {
    /// Now, where the till stands.
    static var now: ReceiptTime {
        var seconds = time(nil)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return ReceiptTime(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            hour: Int(parts.tm_hour), minute: Int(parts.tm_min), offset: parts.tm_gmtoff / 60)
    }
}
