internal import SwipeProtocol

/// What an operator does: `swipectl web` over the control socket, and an operator's session of the live page.
struct OperationFault: Error, Sendable, Hashable {
    var code: String
    var message: String
}

extension Gateway {
    /// - Parameter name: one of ``Route/operations``.
    func operate(_ name: String, _ parameters: JSONObject) throws(OperationFault) -> JSONValue {
        switch name {
        case "pairings": ["pairings": .array(desk.waiting(at: now()).map { describe($0) })]
        case "pair": try pair(parameters)
        case "tokens": ["tokens": .array(tokens.entries.map { describe($0) })]
        case "revoke": try revoke(parameters)
        case _: throw OperationFault(code: "method.unknown", message: "no method '\(name)'")
        }
    }

    private func pair(_ parameters: JSONObject) throws(OperationFault) -> JSONValue {
        guard let code = parameters["code"]?.string else { throw Self.missing("code") }
        let isOperator = parameters["operator"]?.bool ?? false
        do throws(PairingDesk.Fault) {
            let origin = try desk.confirm(code, isOperator: isOperator, at: now()) { isOwn($0) }
            let rule = own.lazy.compactMap { self.doorkeeper.rule(for: origin, at: $0) }.first
            return [
                "origin": .string(origin.description), "role": .string((rule?.role ?? .status).rawValue),
                "operator": .bool(isOperator),
            ]
        } catch {
            throw Self.fault(error)
        }
    }

    private static func fault(_ fault: PairingDesk.Fault) -> OperationFault {
        switch fault {
        case .unknownCode:
            OperationFault(
                code: "pairing.unknown",
                message: "no page waits with this code; codes are good for two minutes")
        case .tooOften:
            OperationFault(code: "pairing.too_often", message: "too many wrong codes: wait a minute")
        case .notOfOurs(let origin):
            OperationFault(
                code: "pairing.not_own",
                message: "\(origin) is not the live page; only that has an operator's session")
        }
    }

    private func revoke(_ parameters: JSONObject) throws(OperationFault) -> JSONValue {
        guard let id = parameters["id"]?.string else { throw Self.missing("id") }
        guard let entry = revoke(id) else {
            throw OperationFault(code: "token.unknown", message: "there is no token '\(id.prefix(40))'")
        }
        return ["origin": .string(entry.origin.description)]
    }

    private static func missing(_ name: String) -> OperationFault {
        OperationFault(code: "params.invalid", message: "\(name): missing, or not a text")
    }

    private func describe(_ pairing: PairingDesk.Pairing) -> JSONValue {
        let age = (now() - min(pairing.askedAt, now())) / 1_000_000_000
        return [
            "origin": .string(pairing.origin.description), "code": .string(pairing.code),
            "age_s": .integer(Int64(age)),
        ]
    }

    private func describe(_ entry: TokenStore.Entry) -> JSONValue {
        [
            "id": .string(entry.id), "origin": .string(entry.origin.description),
            "operator": .bool(entry.isOperator),
            "made_at": .integer(entry.madeAt), "connected": .bool(isConnected(token: entry.id)),
        ]
    }
}
