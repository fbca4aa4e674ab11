extension EventBody: JSONEncodable {
    /// Writes the `data` object.
    package func write(to writer: inout JSONWriter) {
        if case .connect(let reader) = self { return reader.write(to: &writer) }
        if case .update(let reader) = self { return reader.write(to: &writer) }
        if case .swipe(let swipe) = self { return swipe.write(to: &writer) }
        if case .unknown(_, let data) = self { return data.write(to: &writer) }
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .connect, .update, .unknown, .swipe, .swipeStart, .autodetectStart: break
        case .disconnect(let reason): writer.field("reason", reason)
        case .activate(let result, let why):
            writer.field("result", result)
            writer.field("why", ifPresent: why)
        case .deactivate(let reason): writer.field("reason", reason)
        case .ready(let expiresAt): writer.field("expires_at", orNull: expiresAt)
        case .unready(let reason, let why):
            writer.field("reason", reason)
            writer.field("why", ifPresent: why)
        case .autodetectComplete(let result): writer.field("result", result)
        case .testComplete(let answered, let why):
            writer.field("answered", answered)
            writer.field("why", ifPresent: why)
        case .prompt(let prompt): prompt.writeMembers(to: &writer)
        case .promptClosed(let id, let end, let answer):
            writer.field("id", id)
            writer.field("end", end)
            writer.field("answer", ifPresent: answer)
        case .claimRequested(let by, let deadline):
            writer.field("by", by)
            writer.field("deadline", deadline)
        case .claimReleased(let why, let holder):
            writer.field("why", why)
            writer.field("holder", holder)
        case .swipeUntaken(let reason, let swipe):
            writer.field("reason", reason)
            writer.field("swipe_seq", swipe)
        case .gap(let from, let to, let reason):
            writer.field("from", from)
            writer.field("to", to)
            writer.field("reason", reason)
        case .bye(let code): writer.field("code", code)
        }
    }

    /// Reads the `data` object of the event with that name.
    package init(name: String, data: JSONValue) throws(WireError) {
        guard let kind = EventKind(rawValue: name) else {
            self = .unknown(name: name, data: data)
            return
        }
        self = try EventBody.members(of: kind, try JSONObject(json: data))
    }

    private static func members(of kind: EventKind, _ data: JSONObject) throws(WireError) -> EventBody {
        switch kind {
        case .connect: .connect(try ReaderInfo(json: .object(data)))
        case .update: .update(try ReaderInfo(json: .object(data)))
        case .swipe: .swipe(try SwipeData(json: .object(data)))
        case .disconnect: .disconnect(try data.required("reason"))
        case .activate: .activate(try data.required("result"), why: try data.optional("why"))
        case .deactivate: .deactivate(try data.required("reason"))
        case .ready: .ready(expiresAt: try data.optional("expires_at"))
        case .unready: .unready(try data.required("reason"), why: try data.optional("why"))
        case .swipeStart: .swipeStart
        case .autodetectStart: .autodetectStart
        case .autodetectComplete: .autodetectComplete(try data.required("result"))
        case .testComplete:
            .testComplete(answered: try data.required("answered"), why: try data.optional("why"))
        case .prompt: .prompt(try Prompt(json: .object(data)))
        case .promptClosed:
            .promptClosed(
                id: try data.required("id"), try data.required("end"), answer: try data.optional("answer"))
        case .claimRequested:
            .claimRequested(by: try data.required("by"), deadline: try data.required("deadline"))
        case .claimReleased: .claimReleased(try data.required("why"), holder: try data.required("holder"))
        case .swipeUntaken:
            .swipeUntaken(try data.required("reason"), swipe: try data.required("swipe_seq"))
        case .gap:
            .gap(from: try data.required("from"), to: try data.required("to"), try data.required("reason"))
        case .bye: .bye(try data.required("code"))
        }
    }
}
