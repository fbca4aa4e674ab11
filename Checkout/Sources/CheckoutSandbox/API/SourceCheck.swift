import CardData

/// Looks at a request for a source: what it will do, and what may be kept of it.
struct SourceCheck {
    let outcome: Outcome
    let first6: String?
    let last4: String?
    let brand: String?

    /// What the request asks for, without card data: kept under its idempotency key.
    let fingerprint: String

    init(_ new: Wire.NewSource, of transaction: Wire.Transaction) throws {
        guard new.amount == transaction.amount, new.currency == transaction.currency,
            new.description == transaction.description
        else { throw APIError.badRequest("amount, currency and description are those of the transaction") }
        guard let method = transaction.methods.first(where: { $0.id == new.method }) else {
            throw APIError.badRequest("no such method")
        }
        if method.kind == "wallet" {
            guard new.card == nil else { throw APIError.badRequest("a wallet takes no card") }
            (outcome, first6, last4, brand) = (.redirect, nil, nil, nil)
        } else {
            guard let card = new.card else { throw APIError.badRequest("the method needs a card") }
            (outcome, first6, last4, brand) = try Self.read(card, isSwipe: method.kind == "swipe")
        }
        fingerprint = [
            "source", transaction.id, new.method, "\(new.amount)", new.currency, first6 ?? "-", last4 ?? "-",
        ].joined(separator: " ")
    }

    private typealias Kept = (Outcome, String?, String?, String?)

    private static func read(_ card: Wire.Card, isSwipe: Bool) throws -> Kept {
        switch (card.entry, isSwipe) {
        case ("encrypted", true): try readCiphertext(card)
        case ("typed", false), ("swiped", true): try readClear(card)
        default: throw APIError.badRequest("the card's entry does not fit the method")
        }
    }

    private static func readClear(_ card: Wire.Card) throws -> Kept {
        guard let text = card.number, let number = AccountNumber(digits: text.utf8), number.passesLuhn == true
        else {
            throw APIError(422, "invalid_number", "the number's check digit is wrong")
        }
        guard let known = TestCard.with(number: text) else {
            throw APIError(422, "invalid_number", "only the published test numbers are taken here")
        }
        guard card.expiry?.wholeMatch(of: /[0-9]{4}-(0[1-9]|1[0-2])/) != nil else {
            throw APIError.badRequest("expiry is YYYY-MM")
        }
        let codeLength = number.brand == .amex ? 4 : 3
        if let code = card.cvv,
            code.utf8.count != codeLength
                || !code.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        {
            throw APIError(422, "wrong_cvv", "the code has \(codeLength) digits on this card")
        }
        guard card.cvv != nil || card.entry == "swiped" else {
            throw APIError.badRequest("a typed card needs its cvv")
        }
        return (known.outcome, known.first6, known.last4, number.brand?.rawValue)
    }

    /// Nobody here has the keys of real readers: any ciphertext is taken for the card whose ends the reader let
    /// through, or else for one that is approved.
    private static func readCiphertext(_ card: Wire.Card) throws -> Kept {
        guard card.number == nil, card.cvv == nil else {
            throw APIError.badRequest("an encrypted card has no clear digits")
        }
        guard let ksn = card.ksn, !ksn.isEmpty, card.scheme != nil, let tracks = card.tracks, !tracks.isEmpty
        else {
            throw APIError.badRequest("scheme, ksn and tracks are needed")
        }
        let known = card.masked.flatMap { TestCard.with(masked: $0) }
        return (known?.outcome ?? .approved, known?.first6, known?.last4, nil)
    }
}
