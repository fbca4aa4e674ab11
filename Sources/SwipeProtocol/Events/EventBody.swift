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

/// A question, or a message, to whoever runs the till.
public struct Prompt: Sendable, Hashable {
    /// Names it in `answer_prompt`.
    public var id: String
    /// What it is about.
    public var kind: PromptKind
    /// What to show, for people.
    public var text: String
    /// The answers that are taken: `accept` and `decline` to a question, `ok` to a message.
    public var answers: [String]
    /// When a question counts as declined; nil for a message.
    public var expiresAt: WallTime?

    /// A question or a message.
    public init(id: String, kind: PromptKind, text: String, answers: [String], expiresAt: WallTime? = nil) {
        self.id = id
        self.kind = kind
        self.text = text
        self.answers = answers
        self.expiresAt = expiresAt
    }
}

extension Prompt: WireObject {
    package static var blank: Prompt { Prompt(id: "", kind: .unrecognized, text: "", answers: []) }
    package static var definition: String? { "prompt" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("id", &id)
        try fields.required("kind", &kind)
        try fields.required("text", &text)
        try fields.required("answers", &answers)
        try fields.orNull("expires_at", &expiresAt)
    }
}
