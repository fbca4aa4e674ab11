extension EventBody: WireMembers {
    /// Writes the `data` object.
    package func write(to writer: inout JSONWriter) {
        if case .unknown(_, let data) = self { return data.write(to: &writer) }
        writer.beginObject()
        lend(to: &writer)
        writer.endObject()
    }

    /// Reads the `data` object of an event of this kind.
    package mutating func read(_ json: JSONValue) throws(WireError) {
        if case .unknown(let name, _) = self {
            self = .unknown(name: name, data: json)
        } else {
            var fields = FieldReader(object: try JSONObject(json: json))
            try members(&fields)
        }
    }

    /// What reading starts from.
    package init(blank name: String) {
        self = EventKind(rawValue: name).map(EventBody.blank) ?? .unknown(name: name, data: .null)
    }

    static func blank(_ kind: EventKind) -> EventBody {
        switch kind {
        case .connect: .connect(.blank)
        case .update: .update(.blank)
        case .disconnect: .disconnect(.unrecognized)
        case .activate: .activate(.unrecognized)
        case .deactivate: .deactivate(.unrecognized)
        case .ready: .ready(expiresAt: nil)
        case .unready: .unready(.unrecognized)
        case .swipeStart: .swipeStart
        case .swipe: .swipe(.blank)
        case .autodetectStart: .autodetectStart
        case .autodetectComplete: .autodetectComplete(.unrecognized)
        case .testComplete: .testComplete(answered: false)
        case .prompt: .prompt(.blank)
        case .promptClosed: .promptClosed(id: "", .unrecognized)
        case .claimRequested: .claimRequested(by: .blank, deadline: .blank)
        case .claimReleased: .claimReleased(.unrecognized, holder: .blank)
        case .swipeUntaken: .swipeUntaken(.unrecognized, swipe: 0)
        case .gap: .gap(from: 0, to: 0, .unrecognized)
        case .bye: .bye(.unrecognized)
        }
    }

    /// The members of the `data` object. What a case carries is put together again by a reader alone.
    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        switch self {
        case .unknown, .swipeStart, .autodetectStart: break
        case .connect(let reader): if let read = try fields.whole(reader) { self = .connect(read) }
        case .update(let reader): if let read = try fields.whole(reader) { self = .update(read) }
        case .swipe(let swipe): if let read = try fields.whole(swipe) { self = .swipe(read) }
        case .prompt(let prompt): if let read = try fields.whole(prompt) { self = .prompt(read) }
        case .disconnect(var reason):
            try fields.required("reason", &reason)
            if F.isReading { self = .disconnect(reason) }
        case .activate(var result, var why):
            try fields.required("result", &result)
            try fields.optional("why", &why)
            if F.isReading { self = .activate(result, why: why) }
        case .deactivate(var reason):
            try fields.required("reason", &reason)
            if F.isReading { self = .deactivate(reason) }
        case .ready(var expiresAt):
            try fields.orNull("expires_at", &expiresAt)
            if F.isReading { self = .ready(expiresAt: expiresAt) }
        case .unready(var reason, var why):
            try fields.required("reason", &reason)
            try fields.optional("why", &why)
            if F.isReading { self = .unready(reason, why: why) }
        case .autodetectComplete(var result):
            try fields.required("result", &result)
            if F.isReading { self = .autodetectComplete(result) }
        case .testComplete(var answered, var why):
            try fields.required("answered", &answered)
            try fields.optional("why", &why)
            if F.isReading { self = .testComplete(answered: answered, why: why) }
        case .promptClosed(var id, var end, var answer):
            try fields.required("id", &id)
            try fields.required("end", &end)
            try fields.optional("answer", &answer)
            if F.isReading { self = .promptClosed(id: id, end, answer: answer) }
        case .claimRequested(var by, var deadline):
            try fields.required("by", &by)
            try fields.required("deadline", &deadline)
            if F.isReading { self = .claimRequested(by: by, deadline: deadline) }
        case .claimReleased(var why, var holder):
            try fields.required("why", &why)
            try fields.required("holder", &holder)
            if F.isReading { self = .claimReleased(why, holder: holder) }
        case .swipeUntaken(var reason, var swipe):
            try fields.required("reason", &reason)
            try fields.required("swipe_seq", &swipe)
            if F.isReading { self = .swipeUntaken(reason, swipe: swipe) }
        case .gap(var from, var to, var reason):
            try fields.required("from", &from)
            try fields.required("to", &to)
            try fields.required("reason", &reason)
            if F.isReading { self = .gap(from: from, to: to, reason) }
        case .bye(var code):
            try fields.required("code", &code)
            if F.isReading { self = .bye(code) }
        }
    }
}
