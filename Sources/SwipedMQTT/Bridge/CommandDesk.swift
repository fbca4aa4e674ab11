internal import SwipeProtocol

/// What may be asked of a reader over the broker: nothing, unless the configuration names it.
struct CommandDesk: Sendable {
    /// A command that may be done.
    struct Command: Sendable, Hashable {
        var id: RequestID
        var reader: String
        var request: ControlRequest
    }

    /// What the configuration may name: what one of this machine's own programs could ask with a claim, and what says nothing of a
    /// card.
    static let known: [Method] = [
        .requestSwipe, .cancelSwipe, .answerPrompt, .activate, .deactivate, .cancelActivation,
        .testCommunication,
    ]
    /// Commands that are being done; of more, each is refused.
    static let maximumAtOnce = 16

    let allowed: Set<Method>
    private(set) var underWay = 0

    init(allowed: Set<Method>) { self.allowed = allowed }

    /// What to do, or what to answer.
    ///
    /// - Parameter isThere: whether the reader is.
    mutating func take(
        _ payload: [UInt8], reader: String, isThere: Bool = true
    ) -> Result<Command, Refusal> {
        let request: Request
        do throws(Refusal) { request = try Self.read(payload, reader: reader) } catch {
            return .failure(error)
        }
        guard case .control(let control, reader: _) = request.call, allowed.contains(control.method) else {
            return .failure(
                Refusal(
                    id: request.id,
                    reply: ErrorReply(.accessDenied, "[commands] allow does not name this method")))
        }
        guard isThere else {
            return .failure(Refusal(id: request.id, reply: ErrorReply(.readerUnknown, "no such reader")))
        }
        guard underWay < Self.maximumAtOnce else {
            return .failure(
                Refusal(id: request.id, reply: ErrorReply(.readerBusy, "too many commands at once")))
        }
        underWay += 1
        return .success(Command(id: request.id, reader: reader, request: control))
    }

    mutating func done() { underWay = max(0, underWay - 1) }

    /// Why a command is not done, and under which id that is answered.
    struct Refusal: Error, Sendable, Hashable {
        var id: RequestID
        var reply: ErrorReply
    }

    /// A request of the protocol, but for the reader, which the topic names.
    private static func read(_ payload: [UInt8], reader: String) throws(Refusal) -> Request {
        guard payload.count < BrokerAttempt.maximumPayload,
            var object = (try? JSONReader.value(of: payload))?.object
        else { throw Refusal(id: .none, reply: ErrorReply(.lineInvalid, "not an object")) }
        var members = object["params"]?.object?.members ?? []
        members.removeAll { $0.name == "reader" }
        members.append(.init("reader", .string(reader)))
        object.members.removeAll { $0.name == "params" }
        object.members.append(.init("params", .object(JSONObject(members))))
        do throws(RequestError) {
            return try Request(line: BridgeReport.encoded(JSONValue.object(object)))
        } catch {
            throw Refusal(id: error.id, reply: error.reply)
        }
    }
}
