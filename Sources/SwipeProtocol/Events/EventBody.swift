/// What happened, with what belongs to it.
///
/// Its large values are `indirect`: copies of them from one stage to the next took a sixth of the way from a report to its line.
public enum EventBody: Sendable, Hashable {
    /// A reader was attached and recognised; the same information as in `readers`.
    indirect case connect(ReaderInfo)
    /// More became known of an attached reader; the same information as in `readers`.
    indirect case update(ReaderInfo)
    /// A reader is gone.
    case disconnect(DisconnectReason)
    /// An attempt to power up a reader ended; `why` is for people.
    case activate(ActivationOutcome, why: String? = nil)
    /// A reader was powered down.
    case deactivate(DeactivationReason)
    /// A reader accepts swipes, until then or without an end.
    case ready(expiresAt: WallTime?)
    /// A reader stopped accepting swipes; `why` is for people.
    case unready(UnreadyCause, why: String? = nil)
    /// A reader's head sees magnetic activity.
    case swipeStart
    /// A card was swiped.
    indirect case swipe(SwipeData)
    /// The type of an audio reader is being found out.
    case autodetectStart
    /// The search for the type ended.
    case autodetectComplete(AutodetectResult)
    /// Whether the reader answered a test of the communication; `why` explains a test that could not be made.
    case testComplete(answered: Bool, why: String? = nil)
    /// Somebody has to decide or to know something.
    indirect case prompt(Prompt)
    /// A prompt is over.
    case promptClosed(id: String, PromptEnd, answer: String? = nil)
    /// Somebody wants a reader that another holds; the holder may `retain` it until the deadline, and as much longer as
    /// a request of its own was being done meanwhile.
    indirect case claimRequested(by: Claimant, deadline: WallTime)
    /// A claim ended.
    indirect case claimReleased(ClaimEnd, holder: Claimant)
    /// A swipe reached nobody: the one whose event has that number. Nothing of the card.
    case swipeUntaken(UntakenReason, swipe: UInt64)
    /// Events are missing here: the numbers from and to, both missing too. Both are 0 when they are not known.
    case gap(from: UInt64, to: UInt64, GapReason)
    /// The last line of a connection.
    case bye(ByeCode)
    /// An event that this version does not know; the daemon is a later one.
    indirect case unknown(name: String, data: JSONValue)

    /// The event's name; nil for one that this version does not know.
    public var kind: EventKind? {
        switch self {
        case .connect: .connect
        case .update: .update
        case .disconnect: .disconnect
        case .activate: .activate
        case .deactivate: .deactivate
        case .ready: .ready
        case .unready: .unready
        case .swipeStart: .swipeStart
        case .swipe: .swipe
        case .autodetectStart: .autodetectStart
        case .autodetectComplete: .autodetectComplete
        case .testComplete: .testComplete
        case .prompt: .prompt
        case .promptClosed: .promptClosed
        case .claimRequested: .claimRequested
        case .claimReleased: .claimReleased
        case .swipeUntaken: .swipeUntaken
        case .gap: .gap
        case .bye: .bye
        case .unknown: nil
        }
    }

    /// Whether it carries card data in clear.
    package var isSensitive: Bool {
        if case .swipe(let swipe) = self { swipe.isSensitive } else { false }
    }
}

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
        self = EventKind(rawValue: name)?.traits.blank() ?? .unknown(name: name, data: .null)
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
