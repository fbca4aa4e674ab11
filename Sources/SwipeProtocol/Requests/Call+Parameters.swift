extension Call {
    init(_ method: Method, _ parameters: inout Parameters) throws(ErrorReply) {
        switch method {
        case .subscribe: self = .subscribe(try Subscription(&parameters))
        case .unsubscribe: self = .unsubscribe
        case .readers: self = .readers
        case .claim:
            self = .claim(
                reader: try parameters.requiredString("reader"), try parameters.word("mode") ?? .ask,
                token: try parameters.string("token"))
        case .release: self = .release(reader: try parameters.requiredString("reader"))
        case .retain: self = .retain(reader: try parameters.requiredString("reader"))
        case .stats: self = .stats(reader: try parameters.string("reader"))
        case .schema: self = .schema
        case .barrier: self = .barrier
        case .ping: self = .ping
        case .reload: self = .control(.reload, reader: nil)
        case .logLevel: self = .control(.logLevel(try parameters.word("level")), reader: nil)
        case .activate, .deactivate, .cancelActivation, .requestSwipe, .cancelSwipe, .set, .get,
            .testCommunication,
            .setAudioReader, .autodetect, .answerPrompt, .propertyGet, .propertySet, .simulate:
            let reader = try parameters.requiredString("reader")
            self = .control(try ControlRequest(method, &parameters), reader: reader)
        }
    }
}

extension ControlRequest {
    fileprivate init(_ method: Method, _ parameters: inout Parameters) throws(ErrorReply) {
        switch method {
        case .activate: self = .activate
        case .deactivate: self = .deactivate
        case .cancelActivation: self = .cancelActivation
        case .requestSwipe: self = .requestSwipe(timeoutSeconds: try parameters.swipeTimeout("timeout_s"))
        case .cancelSwipe: self = .cancelSwipe
        case .set: self = .set(try ReaderSettings(&parameters))
        case .get: self = .get
        case .testCommunication: self = .testCommunication
        case .setAudioReader: self = .setAudioReader(try parameters.requiredWord("type"))
        case .autodetect: self = .autodetect
        case .answerPrompt:
            self = .answerPrompt(
                id: try parameters.requiredString("prompt"), answer: try parameters.requiredString("answer"))
        case .propertyGet: self = .propertyGet(name: try parameters.requiredString("name"))
        case .propertySet:
            let name = try parameters.requiredString("name")
            guard let value = parameters.value("value") else {
                throw ErrorReply(.parameterInvalid, "value: missing")
            }
            self = .propertySet(name: name, value: value)
        case .simulate:
            self = .simulate(try SimulatedAction(&parameters))
        case .subscribe, .unsubscribe, .readers, .claim, .release, .retain, .stats, .schema, .barrier, .ping,
            .reload,
            .logLevel:
            throw ErrorReply(.serverFailed, "\(method.rawValue) is not a control")
        }
    }
}

extension SimulatedAction {
    fileprivate init(_ parameters: inout Parameters) throws(ErrorReply) {
        self.init(try parameters.requiredWord("action"), card: try parameters.string("card"))
        guard kind == .swipe || card == nil else {
            throw ErrorReply(.parameterInvalid, "card: only a swipe has one")
        }
    }
}

extension ReaderSettings {
    fileprivate init(_ parameters: inout Parameters) throws(ErrorReply) {
        self.init(
            alwaysAcceptSwipe: try parameters.bool("always_accept_swipe"),
            activateOnAttach: try parameters.bool("activate_on_attach"),
            volumeToMax: try parameters.bool("volume_to_max"),
            activateWithoutPrompting: try parameters.bool("activate_without_prompting"),
            swipeTimeoutSeconds: try parameters.swipeTimeout("swipe_timeout_s"))
        guard self != ReaderSettings() else { throw ErrorReply(.parameterInvalid, "nothing to set") }
    }
}

extension Parameters {
    fileprivate mutating func swipeTimeout(_ name: String) throws(ErrorReply) -> Int? {
        let range = ProtocolLimits.swipeTimeoutSeconds
        return try integer(name, in: Int64(range.lowerBound)...Int64(range.upperBound)).map(Int.init)
    }
}
