internal import CardData
internal import Checkout
internal import NIOCore
internal import SwipeProtocol

/// The requests' bodies, as `openapi.yaml` has them.
enum RequestBodies {
    static func transaction(_ request: TransactionRequest) -> ByteBuffer {
        var body = JSONBody()
        body.field("description", request.description)
        body.field("amount", request.amount.minorUnits)
        body.field("currency", request.amount.currency.code)
        if let tip = request.tip { body.field("tip", tip.minorUnits) }
        // Services of earlier versions know no other time.
        if request.capture == .later { body.field("capture", request.capture.rawValue) }
        return body.finished()
    }

    static func source(_ params: SourceParams) -> ByteBuffer {
        var body = JSONBody()
        body.field("method", params.method?.id)
        body.field("flow", (params.flow ?? params.method?.flow)?.rawValue)
        body.field("amount", params.amount.minorUnits)
        body.field("currency", params.amount.currency.code)
        body.field("description", params.description)
        if !params.metadata.isEmpty {
            body.object("metadata") { metadata in
                for (name, value) in params.metadata.sorted(by: { $0.key < $1.key }) {
                    metadata.field(name, value)
                }
            }
        }
        if let card = params.card { body.object("card") { write(card, to: &$0) } }
        return body.finished()
    }

    private static func write(_ card: CardDetails, to body: inout JSONBody) {
        switch card.content {
        case .typed(let clear, let cvv):
            body.field("entry", "typed")
            write(clear, cvv, to: &body)
        case .swiped(let clear, let cvv):
            body.field("entry", "swiped")
            write(clear, cvv, to: &body)
        case .encrypted(let swipe):
            body.field("entry", "encrypted")
            body.field("scheme", swipe.encryption.scheme)
            body.field("ksn", hexadecimal(swipe.encryption.keySerialNumber))
            body.field("key_variant", swipe.encryption.keyVariant?.rawValue)
            body.field("masked", swipe.maskedNumber)
            body.list("tracks", swipe.encryption.tracks) { body, track in
                body.field("track", track.track)
                body.field("ciphertext", hexadecimal(track.ciphertext))
                if let length = track.clearLength { body.field("clear_length", length) }
            }
        }
    }

    private static func write(_ card: ClearCard, _ cvv: SensitiveText?, to body: inout JSONBody) {
        body.field("number", revealing: card.number.reveal().map { SensitiveText($0) })
        let month = card.expiry.month < 10 ? "0\(card.expiry.month)" : "\(card.expiry.month)"
        body.field("expiry", "\(card.expiry.year)-\(month)")
        body.field("cvv", revealing: cvv)
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
