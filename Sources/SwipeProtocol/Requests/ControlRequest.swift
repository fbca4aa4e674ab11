/// A request that the daemon does outside the socket server: to a reader, or to itself.
public enum ControlRequest: Sendable, Hashable {
    /// Power up the reader.
    case activate
    /// Power down the reader.
    case deactivate
    /// Withdraw a power-up that is under way.
    case cancelActivation
    /// Accept swipes, for this many seconds (3 to 20) or as long as the settings say.
    case requestSwipe(timeoutSeconds: Int?)
    /// Stop accepting swipes.
    case cancelSwipe
    /// Change settings of the reader.
    case set(ReaderSettings)
    /// Tell the settings that are in force. Needs no claim.
    case get
    /// Tell the levels of a reader at a sound input, of the last two seconds or after that number. Needs no claim.
    case levels(after: UInt64?)
    /// Ask the reader for a sign of life.
    case testCommunication
    /// Say which kind of reader is at the sound input.
    case setAudioReader(AudioReaderType)
    /// Find out which kind of reader is at the sound input.
    case autodetect
    /// Answer a prompt.
    case answerPrompt(id: String, answer: String)
    /// Read a property of the reader.
    case propertyGet(name: String)
    /// Write a property of the reader.
    case propertySet(name: String, value: JSONValue)
    /// Act as if something happened to a virtual reader; only with `--allow-simulate`.
    case simulate(SimulatedAction)
    /// Read the configuration again.
    case reload
    /// Log at that level and above; nil: tell the level only.
    case logLevel(LogLevel?)
}

/// Settings of one reader that a client may change. Nil: leave as it is.
public struct ReaderSettings: Sendable, Hashable {
    /// Renew the request for a swipe whenever it ends.
    public var alwaysAcceptSwipe: Bool?
    /// Power up the reader when it is attached.
    public var activateOnAttach: Bool?
    /// Set the output volume to its maximum before powering up.
    public var volumeToMax: Bool?
    /// Ask nobody before powering up. Who may set it could answer the question as well.
    public var activateWithoutPrompting: Bool?
    /// How long a request for a swipe lasts, 3 to 20 seconds.
    public var swipeTimeoutSeconds: Int?
    /// The gain of the sound input, 0 to 100 percent of its range.
    public var gain: Int?

    /// Settings.
    public init(
        alwaysAcceptSwipe: Bool? = nil, activateOnAttach: Bool? = nil, volumeToMax: Bool? = nil,
        activateWithoutPrompting: Bool? = nil, swipeTimeoutSeconds: Int? = nil,
        gain: Int? = nil
    ) {
        self.alwaysAcceptSwipe = alwaysAcceptSwipe
        self.activateOnAttach = activateOnAttach
        self.volumeToMax = volumeToMax
        self.activateWithoutPrompting = activateWithoutPrompting
        self.swipeTimeoutSeconds = swipeTimeoutSeconds
        self.gain = gain
    }
}

extension ReaderSettings: WireMembers {
    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.optional("always_accept_swipe", &alwaysAcceptSwipe)
        try fields.optional("activate_on_attach", &activateOnAttach)
        try fields.optional("volume_to_max", &volumeToMax)
        try fields.optional("activate_without_prompting", &activateWithoutPrompting)
        try fields.optional("swipe_timeout_s", &swipeTimeoutSeconds, as: SwipeTimeout.self)
        try fields.optional("gain", &gain, as: GainPercent.self)
    }
}

/// Which kind of reader is at a sound input.
public enum AudioReaderType: String, Sendable, Hashable, CaseIterable, LaterWord {
    /// None: leave the sound input alone.
    case none
    /// Find out when something is attached.
    case autodetect
    /// An IPS Enterprise reader.
    case ipsEnterprise = "ips_enterprise"
    /// An IPS, UniMag (Shuttle) or passive reader.
    case ips, unimag, passive
}

/// What to pretend at a virtual reader.
public struct SimulatedAction: Sendable, Hashable {
    /// What to pretend.
    public enum Kind: String, Sendable, Hashable, CaseIterable, WireWord {
        /// Attach it, detach it, swipe a card.
        case connect, disconnect, swipe
    }

    /// What to pretend.
    public var kind: Kind
    /// For a swipe: the name of a test card that the daemon knows; nil for its first.
    public var card: String?

    /// Something to pretend.
    public init(_ kind: Kind, card: String? = nil) {
        self.kind = kind
        self.card = card
    }
}

/// From which level on the daemon logs.
public enum LogLevel: String, Sendable, Hashable, CaseIterable, WireWord {
    /// From everything to nearly nothing.
    case trace, debug, info, notice, warning, error, critical
}
