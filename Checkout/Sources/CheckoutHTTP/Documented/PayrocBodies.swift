internal import CardData
internal import Checkout
internal import NIOCore

/// The bodies of Payroc's requests.
enum PayrocBodies {
    /// A pre-authorisation.
    static func payment(
        _ sale: PayrocSale, _ card: CardDetails, _ metadata: [String: String], _ key: IdempotencyKey,
        _ options: PayrocOptions
    ) -> ByteBuffer {
        var body = JSONBody()
        body.field("channel", "pos")
        body.field("processingTerminalId", options.terminal)
        body.object("order") { order in
            order.field("orderId", sale.orderID)
            order.field("description", sale.description)
            order.field("amount", sale.amount.minorUnits)
            order.field("currency", sale.amount.currency.code)
            breakdown(sale.amount.minorUnits, sale.tip, to: &order)
        }
        body.object("paymentMethod") { method in
            method.field("type", "card")
            method.object("cardDetails") { write(card, options, to: &$0) }
        }
        body.field("autoCapture", false)
        body.field("processAsSale", false)
        let ours = [
            (PayrocAnswers.keyName, key.value), (PayrocAnswers.captureName, sale.capture.rawValue),
            (PayrocAnswers.tipName, String(sale.tip)),
        ]
        let fields = ours + metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        body.list("customFields", fields) { field, pair in
            field.field("name", pair.0)
            field.field("value", pair.1)
        }
        return body.finished()
    }

    static func capture(_ amount: Money, tip: Int, _ options: PayrocOptions) -> ByteBuffer {
        var body = JSONBody()
        body.field("processingTerminalId", options.terminal)
        body.field("amount", amount.minorUnits)
        breakdown(amount.minorUnits, tip, to: &body)
        return body.finished()
    }

    static func refund(_ permit: ChangePermit) -> ByteBuffer {
        var body = JSONBody()
        body.field("operator", permit.key.value)
        body.field("amount", permit.amount.minorUnits)
        body.field("description", "Refund")
        return body.finished()
    }

    /// All of it.
    static var reversal: ByteBuffer { JSONBody().finished() }

    private static func breakdown(_ amount: Int, _ tip: Int, to body: inout JSONBody) {
        guard tip > 0 else { return }
        body.object("breakdown") { parts in
            parts.field("subtotal", amount - tip)
            parts.object("tip") { part in
                part.field("type", "fixedAmount")
                part.field("mode", "prompted")
                part.field("amount", tip)
            }
        }
    }

    /// A clear swipe goes as its number: its tracks are nowhere any more.
    private static func write(_ card: CardDetails, _ options: PayrocOptions, to body: inout JSONBody) {
        switch card.content {
        case .typed(let clear, let code): write(clear, code, to: &body)
        case .swiped(let clear, let code): write(clear, code, to: &body)
        case .encrypted(let swipe): write(swipe, options, to: &body)
        }
    }

    private static func write(_ card: ClearCard, _ code: SensitiveText?, to body: inout JSONBody) {
        body.field("entryMethod", "keyed")
        body.object("keyedData") { data in
            data.field("dataFormat", "plainText")
            data.field("cardNumber", revealing: card.number.reveal().map { SensitiveText($0) })
            let (month, year) = (card.expiry.month, card.expiry.year % 100)
            data.field(
                "expiryDate", (month < 10 ? "0\(month)" : "\(month)") + (year < 10 ? "0\(year)" : "\(year)"))
            data.field("cvv", revealing: code)
        }
    }

    /// ASSUMPTION: `encryptedData` is the ciphertext of track 2, else of the first that there is, in hexadecimal digits; the pages say
    /// no more than that it came from the reader.
    private static func write(_ swipe: EncryptedSwipe, _ options: PayrocOptions, to body: inout JSONBody) {
        let tracks = swipe.encryption.tracks
        let track = tracks.first { $0.track == 2 } ?? tracks.first
        body.field("entryMethod", "swiped")
        body.object("swipedData") { data in
            data.field("dataFormat", "encrypted")
            data.object("device") { device in
                device.field("model", options.deviceModel)
                device.field("serialNumber", options.deviceSerial)
                device.field("category", "attended")
                device.field("dataKsn", RequestBodies.hexadecimal(swipe.encryption.keySerialNumber))
            }
            data.field("encryptedData", track.map { RequestBodies.hexadecimal($0.ciphertext) })
            data.field(
                "firstDigitOfPan", swipe.maskedNumber?.first.flatMap { $0.isNumber ? String($0) : nil })
            if swipe.hasChip {
                data.field("fallback", true)
                data.field("fallbackReason", "technical")
            }
        }
    }
}
