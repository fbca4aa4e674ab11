/// The name of a method.
public enum Method: String, Sendable, Hashable, CaseIterable, WireWord {
    /// Streams.
    case subscribe, unsubscribe, readers
    /// Claims.
    case claim, release, retain
    /// Controls of a reader.
    case activate, deactivate
    /// Withdraws a power-up.
    case cancelActivation = "cancel_activation"
    /// Accepts swipes.
    case requestSwipe = "request_swipe"
    /// Stops accepting swipes.
    case cancelSwipe = "cancel_swipe"
    /// Changes settings, and tells what is in force.
    case set, get
    /// Tells the levels of a sound input.
    case levels
    /// Asks for a sign of life.
    case testCommunication = "test_communication"
    /// Names the kind of audio reader.
    case setAudioReader = "set_audio_reader"
    /// Finds out the kind of audio reader.
    case autodetect
    /// Answers a prompt.
    case answerPrompt = "answer_prompt"
    /// Reads a property.
    case propertyGet = "property_get"
    /// Writes a property.
    case propertySet = "property_set"
    /// Sees and may do less from now on.
    case narrow
    /// About the daemon.
    case stats, schema, barrier, ping
    /// Of the daemon.
    case reload
    /// Sets the log level.
    case logLevel = "log_level"
    /// Pretends something at a virtual reader.
    case simulate

    /// What a client needs to be allowed it.
    package var need: MethodNeed {
        if controlsReader { return .claimOrAdmin }
        return switch self {
        case .claim, .release, .retain, .levels: .moreThanStatus
        case .reload, .logLevel, .simulate: .admin
        case .subscribe, .unsubscribe, .narrow, .readers, .get, .stats, .schema, .barrier, .ping, .activate,
            .deactivate,
            .cancelActivation, .requestSwipe, .cancelSwipe, .set, .testCommunication, .setAudioReader,
            .autodetect, .answerPrompt, .propertyGet, .propertySet:
            .nothing
        }
    }

    /// Whether it controls a reader, and so needs a claim on it or the role `admin`.
    public var controlsReader: Bool {
        switch self {
        case .activate, .deactivate, .cancelActivation, .requestSwipe, .cancelSwipe, .set, .testCommunication,
            .setAudioReader, .autodetect, .answerPrompt, .propertyGet, .propertySet:
            true
        case .subscribe, .unsubscribe, .narrow, .readers, .claim, .release, .retain, .stats, .schema,
            .barrier, .ping,
            .reload, .get, .levels,
            .logLevel, .simulate:
            false
        }
    }
}
