internal import CardData
public import Checkout
internal import NIOCore

extension HTTPGateway {
    /// A charge with all that was done to it: `GET /v1/charges/{id}`.
    public func record(of charge: ChargeID, with key: APIKey) async throws(GatewayError) -> ChargeRecord {
        let path = "/v1/charges/\(Self.inPath(charge.value))"
        let call = HTTPCall(.poll, "GET", path, key.value, about: charge.value)
        return try await sender.send(call, Answers.proof) {
            $0.isJSON ? ChargeAnswers.record($0.body, charge) : nil
        }
    }

    /// Captures, refunds or voids a charge: `POST /v1/charges/{id}/changes`.
    public func change(_ permit: ChangePermit, with key: APIKey) async throws(GatewayError) -> BookedChange {
        let path = "/v1/charges/\(Self.inPath(permit.change.charge.value))/changes"
        var body = JSONBody()
        body.field("kind", permit.change.kind.rawValue)
        body.field("amount", permit.amount.minorUnits)
        body.field("currency", permit.amount.currency.code)
        if let tip = permit.change.tip { body.field("tip", tip.minorUnits) }
        let call = HTTPCall(.move, "POST", path, key.value, key: permit.key, body: body.finished())
        return try await sender.send(call, Answers.proof) {
            $0.isJSON ? ChargeAnswers.change($0.body, permit) : nil
        }
    }
}

/// The answers about charges, as `openapi.yaml` has them.
enum ChargeAnswers {
    private struct Record: Decodable {
        var id: String
        var transaction: String
        var status: String
        var amount: Int
        var capturable: Int
        var captured: Int
        var refunded: Int
        var currency: String
        var description: String
        var first6: String?
        var last4: String?
        var brand: String?
        var approvalCode: String?
        var tip: Int?
        var changes: [Change]

        enum CodingKeys: String, CodingKey {
            case id, transaction, status, amount, capturable, captured, refunded, currency, description,
                first6, last4
            case brand, tip, changes
            case approvalCode = "approval_code"
        }
    }

    private struct Change: Decodable {
        var id: String
        var charge: String
        var kind: String
        var amount: Int
        var currency: String
        var tip: Int?
        var key: String
        var status: String
        var failure: String?
    }

    /// A record; nil where the body is none, or another charge's.
    static func record(_ body: ByteBuffer, _ charge: ChargeID) -> ChargeRecord? {
        guard let wire = decode(Record.self, body), wire.id == charge.value,
            let status = ChargeRecord.Status(rawValue: wire.status),
            let amount = money(wire.amount, wire.currency),
            let capturable = money(wire.capturable, wire.currency),
            let captured = money(wire.captured, wire.currency),
            let refunded = money(wire.refunded, wire.currency)
        else { return nil }
        let changes = wire.changes.compactMap { change($0, charge) }
        // A change that cannot be read is not none.
        guard changes.count == wire.changes.count else { return nil }
        let masked = wire.first6.flatMap { first in wire.last4.map { "\(first)…\($0)" } }
        return ChargeRecord(
            charge: Charge(
                id: wire.id, amount: amount, description: wire.description, maskedNumber: masked,
                brand: wire.brand.flatMap(CardBrand.init(rawValue:)), approvalCode: wire.approvalCode,
                tip: money(wire.tip, wire.currency),
                isCaptured: status == .captured),
            transaction: TransactionID(wire.transaction), status: status, capturable: capturable,
            captured: captured, refunded: refunded, changes: changes)
    }

    /// A change; nil where the body is none, or another one than was asked for.
    static func change(_ body: ByteBuffer, _ permit: ChangePermit) -> BookedChange? {
        guard let wire = decode(Change.self, body), wire.key == permit.key.value else { return nil }
        return change(wire, permit.change.charge)
    }

    private static func change(_ wire: Change, _ charge: ChargeID) -> BookedChange? {
        guard wire.charge == charge.value, let kind = ChargeChange.Kind(rawValue: wire.kind),
            let amount = money(wire.amount, wire.currency)
        else { return nil }
        let status: BookedChange.Status
        switch wire.status {
        case "done": status = .done
        case "pending": status = .pending
        case "failed": status = .failed(wire.failure.flatMap(GatewayError.Code.init(rawValue:)) ?? .conflict)
        default: return nil
        }
        return BookedChange(
            id: wire.id, kind: kind, amount: amount,
            tip: money(wire.tip, wire.currency),
            key: IdempotencyKey(booked: wire.key), status: status)
    }
}
