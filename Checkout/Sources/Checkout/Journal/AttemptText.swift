/// An attempt as a text of lines, each a name and a value. Lines may be added at its end.
///
///     service https://pay.example.com
///     order 17
///     transaction txn_1
///     source src_1
///     key 5f0c…
///     merchant 9a31…
///     time 1795384800
///     amount 440
///     currency EUR
///     change refund                  for a capture, refund or void; then `source` is the charge
///     tip 40
///     seller counter 2
///     description Shoes              must be there, so what is cut short above is no note
///     told 1795384810
///     heard counter 1                another seller of the same
///     closed 5025341                 milliseconds since the machine began
///     boot 8fd2…                     and which start of it that was
struct AttemptText {
    var attempt: OpenAttempt
    /// When somebody was told of it who sold something else, in seconds since 1970. Such a note stays, however old it is: no
    /// clock of a machine can be trusted to say that it is of no use any more.
    var told: Int?
    /// When it was paid and told to its seller, in milliseconds since the machine began.
    var closed: Int?
    /// Since which start of the machine; nil in notes of earlier versions.
    var boot: String?
    /// Whose it is; empty where nobody has a name.
    var seller: String
    /// The other sellers of the same who were told that it was paid.
    var heard: Set<String>

    /// Whether a seller knows that this is another one's sale.
    func isHeard(by name: String) -> Bool { name != seller && heard.contains(name) }

    static func write(_ attempt: OpenAttempt, seller: String = "") -> String {
        let values = [
            ("service", attempt.service), ("order", attempt.order),
            ("transaction", attempt.transaction.value),
            ("source", attempt.source.value), ("key", attempt.key?.value),
            ("merchant", attempt.merchant), ("time", String(attempt.time)),
            ("amount", String(attempt.amount.minorUnits)), ("currency", attempt.amount.currency.code),
            ("change", attempt.change?.rawValue), ("tip", attempt.tip.map { String($0.minorUnits) }),
            ("seller", seller.isEmpty ? nil : seller), ("description", attempt.description),
        ]
        return values.map { name, value in value.map { line(name, $0) } ?? "" }.joined()
    }

    static func line(_ name: String, _ value: String) -> String { "\(name) \(escaped(value))\n" }

    /// Nil for a text that is not an attempt, or not all of it. The service gets its canonical name, however an earlier version
    /// wrote it.
    init?(_ text: String) {
        var values: [String: String] = [:]
        heard = []
        // Bytes, not characters: an accent that begins a description would be one with the blank before it.
        // Lines that have their end: what is cut short is another word, or another number.
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .dropLast()
        {
            let parts = line.split(
                separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let (name, value) = (String(Substring(parts[0])), Self.unescaped(Substring(parts[1])))
            if name == "heard" { heard.insert(value) } else { values[name] = value }
        }
        guard let service = values["service"], let transaction = values["transaction"],
            let source = values["source"], let description = values["description"],
            let currency = values["currency"].flatMap({ Currency($0) }),
            let amount = values["amount"].flatMap({ Int($0) }).flatMap({
                Money(minorUnits: $0, currency: currency)
            })
        else { return nil }
        let change = values["change"].flatMap(ChargeChange.Kind.init(rawValue:))
        // A change that is not known here is no payment.
        if values["change"] != nil, change == nil { return nil }
        attempt = OpenAttempt(
            service: ServiceAddress.name(of: service), order: values["order"],
            transaction: TransactionID(transaction),
            source: SourceID(source), key: values["key"].map { IdempotencyKey(written: $0) },
            merchant: values["merchant"], amount: amount, description: description,
            time: values["time"].flatMap { Int($0) } ?? 0, change: change,
            tip: values["tip"].flatMap { Int($0) }.flatMap { Money(minorUnits: $0, currency: currency) })
        told = values["told"].flatMap { Int($0) }
        closed = values["closed"].flatMap { Int($0) }
        boot = values["boot"]
        seller = values["seller"] ?? ""
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
