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
