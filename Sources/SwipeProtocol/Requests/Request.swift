/// A request from a client: checked in full, so that nothing half-right is ever acted on.
public struct Request: Sendable, Hashable {
    package var id: RequestID
    /// What is asked.
    package var call: Call

    package init(id: RequestID, call: Call) {
        self.id = id
        self.call = call
    }
}

/// What a request asks for.
package enum Call: Sendable, Hashable {
    case subscribe(Subscription)
    case unsubscribe
    /// Keep no more than what the role allows.
    case narrow(Role)
    case readers
    case claim(reader: String, ClaimMode, token: String?)
    case release(reader: String)
    case retain(reader: String)
    /// `reader` is nil for what concerns none.
    case control(ControlRequest, reader: String?)
    case stats(reader: String?)
    case schema
    case barrier
    case ping
}

/// How hard a claim is tried.
public enum ClaimMode: String, Sendable, Hashable, CaseIterable, WireWord {
    /// Ask the holder, who has a second to retain the reader, else loses it.
    case ask
    /// Only if nobody holds the reader.
    case tryOnly = "try"
}

/// Why a line is not a request, with the id to answer to where it could be read.
package struct RequestError: Error, Sendable, Hashable {
    package var id: RequestID
    package var reply: ErrorReply
}

extension Request {
    /// Reads a line, newline left out.
    package init(line: [UInt8]) throws(RequestError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.value(of: line) } catch {
            throw RequestError(id: .none, reply: ErrorReply(.lineInvalid, error.description))
        }
        guard let object = value.object else {
            throw RequestError(id: .none, reply: ErrorReply(.lineInvalid, "not an object"))
        }
        try self.init(object)
    }

    private init(_ object: JSONObject) throws(RequestError) {
        do throws(WireError) {
            id = try RequestID(json: object["id"] ?? .null)
        } catch {
            throw RequestError(id: .none, reply: ErrorReply(.requestInvalid, "id: \(error)"))
        }
        do throws(ErrorReply) {
            call = try Request.call(object)
        } catch {
            throw RequestError(id: id, reply: error)
        }
    }

    private static func call(_ object: JSONObject) throws(ErrorReply) -> Call {
        for member in object.members where !["id", "method", "params"].contains(member.name) {
            throw ErrorReply(.requestInvalid, "a request has no member '\(member.name.prefix(40))'")
        }
        guard let method = object["method"] else { throw ErrorReply(.requestInvalid, "no method") }
        guard let name = method.string else { throw ErrorReply(.requestInvalid, "method: not a string") }
        guard let method = Method(rawValue: name) else {
            throw ErrorReply(.methodUnknown, "no method '\(name.prefix(40))'")
        }
        let params = object["params"] ?? .null
        guard let parameters = params == .null ? JSONObject() : params.object else {
            throw ErrorReply(.parameterInvalid, "params: not an object")
        }
        // Before a word on what is missing or wrong: a slip in a name is both.
        try refuseUnknown(parameters, of: method, depth: 0)
        var (call, fields) = (Call.blank(method), FieldReader(object: parameters, separator: "."))
        do throws(WireError) { try call.members(&fields) } catch {
            throw ErrorReply(.parameterInvalid, error.description)
        }
        if let complaint = call.complaint { throw ErrorReply(.parameterInvalid, complaint) }
        try refuseUnknown(parameters, of: method, depth: 1)
        return call
    }

    private static func refuseUnknown(
        _ parameters: JSONObject, of method: Method, depth: Int
    ) throws(ErrorReply) {
        guard !parameters.members.isEmpty, let schema = ProtocolSchema.parameters[method],
            let name = ProtocolSchema.unknown(in: parameters, schema, depth: depth)
        else { return }
        throw ErrorReply(.parameterUnknown, "no parameter '\(name)'")
    }
}
