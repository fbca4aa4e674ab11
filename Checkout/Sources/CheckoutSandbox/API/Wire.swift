import Foundation

/// The bodies of `openapi.yaml`. Names are the wire's.
enum Wire {
    struct NewTransaction: Decodable {
        var description: String
        var amount: Int
        var currency: String
        var tip: Int?
        var capture: String?
    }

    struct Method: Codable {
        var id: String
        var kind: String
        var name: String?
        var flow: String
    }

    struct Transaction: Codable {
        var id: String
        var token: String
        var description: String
        var amount: Int
        var currency: String
        var methods: [Method]
        var charge: Charge?
        /// The key of the request that made it, in the answer to that one alone.
        var key: String?
    }

    struct NewSource: Decodable {
        var method: String
        var flow: String?
        var amount: Int
        var currency: String
        var description: String
        var metadata: [String: String]?
        var card: Card?
    }

    /// A card in a request. Never encoded, never stored, never logged.
    struct Card: Decodable {
        struct Track: Decodable {
            var track: Int
            var ciphertext: String
        }

        var entry: String
        var number: String?
        var expiry: String?
        var cvv: String?
        var scheme: String?
        var ksn: String?
        var tracks: [Track]?
        var masked: String?
    }

    struct Source: Codable {
        var id: String
        var transaction: String
        var status: String
        var redirectURL: String?
        var failure: String?
        var charge: Charge?
        /// The key of the request that made it, in the answer to that one alone.
        var key: String?

        enum CodingKeys: String, CodingKey {
            case id, transaction, status, failure, charge, key
            case redirectURL = "redirect_url"
        }
    }

    struct Charge: Codable {
        var id: String
        var transaction: String
        var amount: Int
        var currency: String
        var description: String
        var first6: String?
        var last4: String?
        var brand: String?
        var approvalCode: String?
        var created: String
        var status: String
        var tip: Int?

        enum CodingKeys: String, CodingKey {
            case id, transaction, amount, currency, description, first6, last4, brand, created, status, tip
            case approvalCode = "approval_code"
        }
    }

    struct NewChange: Decodable {
        var kind: String
        var amount: Int
        var currency: String
        var tip: Int?
    }

    /// A capture, a refund or a void.
    struct Change: Codable {
        var id: String
        var charge: String
        var kind: String
        var amount: Int
        var currency: String
        var tip: Int?
        var key: String
        var status: String
        var failure: String?
        var created: String
    }

    /// A charge with all that was done to it.
    struct ChargeRecord: Codable {
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

    struct Ledger: Codable {
        var charges: [Charge]
        var changes: [Change]
    }

    struct Failure: Codable {
        struct Detail: Codable {
            var code: String
            var message: String
            /// The request's idempotency key, or else the id in its path: whoever reads this knows that it is the answer.
            var about: String
        }

        var error: Detail
    }
}

/// A refusal, as the API words it.
struct APIError: Error {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func badRequest(_ message: String) -> APIError { APIError(400, "bad_request", message) }
    static func notFound(_ what: String) -> APIError { APIError(404, "not_found", "no such \(what)") }
    static func conflict(_ message: String) -> APIError { APIError(409, "conflict", message) }
}

/// An answer: a status and a JSON text, as it goes out and as it is kept for a repeated request.
struct Answer {
    var status: Int
    var body: String

    init(status: Int, body: String) {
        self.status = status
        self.body = body
    }

    init(_ status: Int, _ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.status = status
        body = String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    init(_ error: APIError, about subject: String) {
        let failure = Wire.Failure(
            error: Wire.Failure.Detail(code: error.code, message: error.message, about: subject))
        self = (try? Answer(error.status, failure)) ?? Answer(status: error.status, body: "{}")
    }
}
