import Foundation

/// `transact.php` and `query.php` as the Direct Post and Query API pages describe them: a fake that was made from public
/// documentation, and never compared with the real service.
package final class FakeNMI: Sendable {
    struct Record {
        var id: String
        var order: String
        var field: String
        var currency: String
        var condition: String
        var card: String
        var actions: [(type: String, amount: String, isSuccess: Bool, code: Int)]
    }

    struct Books {
        var records: [Record] = []
        var count = 2_612_675_975
    }

    private let books: SendableBox<Books>
    package let service: LocalService

    package init() throws {
        let books = SendableBox(Books())
        self.books = books
        service = try LocalService { request in books.change { Self.answer(request, &$0) } }
    }

    /// What was done, as `type amount`, in its order.
    package func done() -> [String] {
        books.change { $0.records.flatMap(\.actions).filter(\.isSuccess).map { "\($0.type) \($0.amount)" } }
    }

    /// The night's settlement.
    package func settle() {
        books.change { books in
            for place in books.records.indices where books.records[place].condition == "pendingsettlement" {
                books.records[place].condition = "complete"
            }
        }
    }

    private static func answer(_ request: LocalService.Request, _ books: inout Books) -> LocalService.Answer {
        let form = request.form
        guard form["security_key"] == "key_1" else {
            return request.path.hasSuffix("query.php")
                ? xml("<error_response>Invalid Security Key</error_response>")
                : pairs(3, 300, "", form["orderid"] ?? "")
        }
        if request.path.hasSuffix("query.php") { return query(form, books) }
        switch form["type"] {
        case "sale", "auth": return pay(form, &books)
        default: return change(form, &books)
        }
    }

    private static func pay(_ form: [String: String], _ books: inout Books) -> LocalService.Answer {
        books.count += 1
        let isDeclined = form["ccnumber"] == "4012888888881881"
        let isHeld = form["type"] == "auth"
        let record = Record(
            id: String(books.count), order: form["orderid"] ?? "",
            field: form["merchant_defined_field_1"] ?? "",
            currency: form["currency"] ?? "USD",
            condition: isDeclined ? "failed" : isHeld ? "pending" : "pendingsettlement",
            card: form["ccnumber"].map { "\($0.prefix(6))******\($0.suffix(4))" } ?? "4xxxxxxxxxxx1111",
            actions: [(form["type"] ?? "", form["amount"] ?? "", !isDeclined, isDeclined ? 202 : 100)])
        books.records.append(record)
        return pairs(isDeclined ? 2 : 1, isDeclined ? 202 : 100, record.id, record.order)
    }

    private static func change(_ form: [String: String], _ books: inout Books) -> LocalService.Answer {
        guard let place = books.records.firstIndex(where: { $0.id == form["transactionid"] }),
            let type = form["type"]
        else {
            return pairs(3, 300, "", "")
        }
        var record = books.records[place]
        let whole = record.actions.first?.amount ?? ""
        let cents = { (text: String) in Int(text.filter(\.isNumber)) ?? 0 }
        let held = cents(record.actions.last { $0.type == "capture" }?.amount ?? whole)
        let refunded = record.actions.filter { $0.type == "refund" }.reduce(0) { $0 + cents($1.amount) }
        let amount = form["amount"] ?? whole
        switch (type, record.condition) {
        case ("capture", "pending") where cents(amount) <= cents(whole):
            record.condition = "pendingsettlement"
        case ("void", "pending"), ("void", "pendingsettlement"): record.condition = "canceled"
        // What is not settled is to be voided.
        case ("refund", "complete") where refunded + cents(amount) <= held: break
        default: return pairs(3, 300, "", "")
        }
        record.actions.append((type, amount, true, 100))
        books.records[place] = record
        return pairs(1, 100, record.id, record.order)
    }

    private static func query(_ form: [String: String], _ books: Books) -> LocalService.Answer {
        let found = books.records.filter { record in
            form["order_id"].map { $0 == record.order } ?? form["transaction_id"].map { $0 == record.id }
                ?? (form["merchant_defined_field_1"] == record.field)
        }
        return xml(found.map(element).joined())
    }

    private static func element(_ record: Record) -> String {
        let actions = record.actions.map {
            "<action><amount>\($0.amount)</amount><action_type>\($0.type)</action_type><success>\($0.isSuccess ? 1 : 0)</success>"
                + "<response_code>\($0.code)</response_code></action>"
        }
        return """
            <transaction><transaction_id>\(record.id)</transaction_id><platform_id></platform_id>
            <transaction_type>cc</transaction_type><condition>\(record.condition)</condition>
            <order_id>\(record.order)</order_id><authorization_code>123456</authorization_code>
            <order_description>Shoes &amp; Socks</order_description><cc_number>\(record.card)</cc_number>
            <currency>\(record.currency)</currency><merchant_defined_field id="1">\(record.field)</merchant_defined_field>
            \(actions.joined())</transaction>
            """
    }

    private static func xml(_ text: String) -> LocalService.Answer {
        LocalService.Answer(
            200, "text/xml",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<nm_response>\n\(text)\n</nm_response>\n")
    }

    private static func pairs(_ response: Int, _ code: Int, _ id: String, _ order: String)
        -> LocalService.Answer
    {
        LocalService.Answer(
            200, "text/html; charset=UTF-8",
            "response=\(response)&responsetext=SAID+SO&authcode=\(response == 1 ? "123456" : "")&transactionid=\(id)"
                + "&avsresponse=&cvvresponse=&orderid=\(order)&type=&response_code=\(code)")
    }
}
