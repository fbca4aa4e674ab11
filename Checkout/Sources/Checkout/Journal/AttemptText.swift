/// An attempt as a text of lines, each a name and a value:
///
///     service https://pay.example.com
///     transaction txn_1
///     source src_1
///     amount 440
///     currency EUR
///     description Shoes
enum AttemptText {
    static func write(_ attempt: OpenAttempt, service: String) -> String {
        let values = [
            ("service", service), ("transaction", attempt.transaction.value),
            ("source", attempt.source.value),
            ("amount", String(attempt.amount.minorUnits)), ("currency", attempt.amount.currency.code),
            ("description", attempt.description),
        ]
        return values.map { "\($0.0) \(escaped($0.1))\n" }.joined()
    }

    /// The attempt and its service; nil for a text that is not one, or not all of it.
    static func read(_ text: String) -> (attempt: OpenAttempt, service: String)? {
        var values: [String: String] = [:]
        // Bytes, not characters: an accent that begins a description would be one with the blank before it.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(
                separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(Substring(parts[0]))] = unescaped(Substring(parts[1])) }
        }
        guard let service = values["service"], let transaction = values["transaction"],
            let source = values["source"], let description = values["description"],
            let currency = values["currency"].flatMap({ Currency($0) }),
            let amount = values["amount"].flatMap({ Int($0) }).flatMap({
                Money(minorUnits: $0, currency: currency)
            })
        else { return nil }
        let attempt = OpenAttempt(
            transaction: TransactionID(transaction), source: SourceID(source), amount: amount,
            description: description)
        return (attempt, service)
    }

    private static func escaped(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar in
                switch scalar {
                case "\\": "\\\\"
                case "\n": "\\n"
                default: String(scalar)
                }
            }.joined())
    }

    private static func unescaped(_ text: Substring) -> String {
        var result = String.UnicodeScalarView()
        var isEscape = false
        for scalar in text.unicodeScalars {
            if isEscape {
                result.append(scalar == "n" ? "\n" : scalar)
                isEscape = false
            } else if scalar == "\\" {
                isEscape = true
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
