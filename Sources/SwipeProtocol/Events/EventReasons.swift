/// Why a reader is gone.
public enum DisconnectReason: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// It was unplugged, or its radio link ended.
    case unplugged
    /// It stopped answering, or the kernel took it away.
    case error
    /// The configuration does not name it any more.
    case configuration
    /// The daemon ends.
    case shutdown
    /// A reason that this version does not know; the daemon is a later one.
    case unrecognized
}

/// How an attempt to power up a reader ended.
public enum ActivationOutcome: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// It is powered up. It did not answer. Somebody said no. It said no. The request was withdrawn.
    case success, timeout, declined, failed, cancelled
    /// The output volume does not power it.
    case volumeTooLow = "volume_too_low"
    /// An outcome that this version does not know; the daemon is a later one.
    case unrecognized
}

/// Why a reader was powered down.
public enum DeactivationReason: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// A client asked. The reader is gone. It failed. It slept with the machine, and is woken.
    case requested, disconnected, error, suspended
    /// A reason that this version does not know; the daemon is a later one.
    case unrecognized
}

/// Why a reader stopped accepting swipes.
public enum UnreadyCause: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// For a moment only: the request is being renewed.
    case refreshing
    /// The request ran out. A card was swiped. The request was withdrawn.
    case timeout, swiped, cancelled
    /// The reader is gone. It was powered down. It failed. It slept with the machine.
    case disconnected, deactivated, error, suspended
    /// A reason that this version does not know; the daemon is a later one.
    case unrecognized
}

/// What a search for an audio reader's type found.
public enum AutodetectResult: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// An IPS Enterprise reader.
    case ipsEnterprise = "ips_enterprise"
    /// An IPS, UniMag (Shuttle) or passive reader; nothing that answers.
    case ips, unimag, passive, fail
    /// A kind of reader that this version does not know; the daemon is a later one.
    case unrecognized
}

/// Why a claim ended.
public enum ClaimEnd: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// The holder gave it back.
    case released
    /// The holder's connection ended.
    case disconnected
    /// Another client asked and the holder did not retain it.
    case taken
    /// The reader is gone.
    case readerGone = "reader_gone"
    /// A reason that this version does not know; the daemon is a later one.
    case unrecognized
}

/// Why events are missing.
public enum GapReason: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// `since` named another instance of the daemon: what it sent is not known any more.
    case restart
    /// `since` is further back than the daemon keeps events.
    case ring
    /// Events of a kind that is never kept (a swipe, a prompt, a claim) happened in between.
    case notKept = "not_kept"
    /// The client was far behind: states that later events replaced were left out.
    case coalesced
    /// The event did not fit a line.
    case tooLong = "too_long"
    /// A reason that this version does not know; the daemon is a later one.
    case unrecognized
}

/// Why the daemon ends a connection.
public enum ByeCode: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// The daemon ends.
    case shutdown
    /// The client did not read.
    case slowClient = "slow_client"
    /// The client sent a line that is too long, or shut down its sending side with too many requests unanswered.
    case tooLong = "too_long"
    /// There are as many connections as may be, in all or of this user.
    case tooMany = "too_many"
    /// This user has no role here.
    case denied
    /// A reason that this version does not know; the daemon is a later one.
    case unrecognized
}

/// Why nobody took a swipe.
public enum UntakenReason: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// Nobody who may see card data was subscribed.
    case noSubscriber = "no_subscriber"
    /// The claimant's connection was gone and it did not come back in time.
    case claimantGone = "claimant_gone"
    /// Whoever was subscribed was gone, or too slow, before its line was through.
    case clientGone = "client_gone"
    /// A reason that this version does not know; the daemon is a later one.
    case unrecognized
}

/// How a prompt ended.
public enum PromptEnd: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// Somebody answered. Nobody did in time. It has no object any more.
    case answered, timeout, withdrawn
    /// An end that this version does not know; the daemon is a later one.
    case unrecognized
}

/// What a prompt is about.
public enum PromptKind: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// A question: may the reader be powered up, and the volume set to its maximum for it?
    case activation
    /// A question: may the reader be powered up? The volume stays as it is.
    case activationAtMaximumVolume = "activation_at_maximum_volume"
    /// A message: the reader is being powered up. Closed when that ends.
    case initializing
    /// A message: the reader did not answer when it was powered up.
    case timeout
    /// A message: the output volume is too low to power the reader.
    case volumeTooLow = "volume_too_low"
    /// A kind that this version does not know; the daemon is a later one.
    case unrecognized

    /// Whether an answer decides something; a message is only taken note of. Of a kind that is not recognized look at
    /// ``Prompt/answers`` instead.
    public var isQuestion: Bool {
        switch self {
        case .activation, .activationAtMaximumVolume: true
        case .initializing, .timeout, .volumeTooLow, .unrecognized: false
        }
    }
}
