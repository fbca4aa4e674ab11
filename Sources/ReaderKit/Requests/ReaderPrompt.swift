/// Something that people are told or asked because of a reader. One is open at a time; the next one takes its place.
package struct ReaderPrompt: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case activation
        case activationAtMaximumVolume = "activation_at_maximum_volume"
        case initializing, timeout
        case volumeTooLow = "volume_too_low"

        /// Whether an answer decides something. Others are closed by any answer.
        package var isQuestion: Bool {
            switch self {
            case .activation, .activationAtMaximumVolume: true
            case .initializing, .timeout, .volumeTooLow: false
            }
        }
    }

    /// Counts within one session of a reader.
    package var id: Int
    package var kind: Kind
    package var text: String
    /// After this long without an answer it is closed as declined; nil where it stays.
    package var expiresIn: Duration?

    package init(id: Int, kind: Kind, text: String, expiresIn: Duration? = nil) {
        self.id = id
        self.kind = kind
        self.text = text
        self.expiresIn = expiresIn
    }
}

/// What somebody said to a prompt.
package enum PromptAnswer: String, Sendable, Hashable, CaseIterable { case accept, decline }

/// Why a prompt is not shown any longer.
package enum PromptClosure: String, Sendable, Hashable, CaseIterable {
    case accepted, declined
    /// Nobody answered in time.
    case expired
    /// What it was about is done, or was cancelled, or the next prompt took its place.
    case over
    /// The reader was unplugged or failed.
    case disconnected
}
