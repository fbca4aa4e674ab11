import Foundation
import GRDB
import Hummingbird

/// The routes of charges: what was done to one, and what is to be done.
extension API {
    func charge(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        try checkKey(request)
        let id = try context.parameters.require("id")
        let mayEnd = slowUntil.map { FileManager.default.fileExists(atPath: $0) } ?? true
        return try await store.database.write { database in
            if mayEnd { try Store.settleChanges(of: id, database) }
            return try Answer(200, try Store.record(of: id, database))
        }
    }

    func change(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        try checkKey(request)
        let id = try context.parameters.require("id")
        let new: Wire.NewChange = try await body(of: request, context)
        guard ["capture", "refund", "void"].contains(new.kind), (1...999_999_999_999).contains(new.amount)
        else {
            throw APIError.badRequest("a change is a capture, a refund or a void, of an amount")
        }
        guard new.tip == nil || new.kind == "capture" else {
            throw APIError.badRequest("only captures have tips")
        }
        let key = try idempotencyKey(request)
        let fingerprint = "\(new.kind) \(id) \(new.amount) \(new.currency) \(new.tip ?? 0)"
        let slowSeconds = slowSeconds
        let (answer, isRepeated) = try await store.once(key: key, fingerprint: fingerprint) { database in
            try Answer(
                200, try Store.change(id, new, key: key, slowSeconds: slowSeconds, database))
        }
        let outcome = try await store.database.read { try Store.outcome(of: id, $0) }
        if isRepeated { return answer }
        switch outcome {
        case .failsAfterCharge: throw APIError(500, "server_failed", "the sandbox failed, as this card asks")
        case .cutAfterCharge: await context.cut()
        case .approved, .declined, .insufficientFunds, .expired, .wrongCode, .redirect, .slow, .endless, nil:
            break
        }
        return answer
    }
}
