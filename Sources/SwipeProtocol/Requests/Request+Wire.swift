extension Request {
    /// The request's line, as a client sends it.
    package func line() -> EncodedLine {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("method", call.method)
        if call.hasParameters { writer.field("params", call) }
        writer.endObject()
        return writer.finish()
    }
}

extension Call {
    /// The method that makes this call.
    package var method: Method {
        switch self {
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .narrow: .narrow
        case .readers: .readers
        case .claim: .claim
        case .release: .release
        case .retain: .retain
        case .control(let control, _): control.method
        case .stats: .stats
        case .schema: .schema
        case .barrier: .barrier
        case .ping: .ping
        }
    }

    /// Whether its line says them, be it that there are none: of a control of the daemon.
    fileprivate var hasParameters: Bool {
        switch self {
        case .unsubscribe, .readers, .schema, .barrier, .ping, .stats(reader: nil): false
        case .subscribe, .narrow, .claim, .release, .retain, .control, .stats: true
        }
    }
}

extension ControlRequest {
    /// The method that makes this request.
    public var method: Method {
        switch self {
        case .activate: .activate
        case .deactivate: .deactivate
        case .cancelActivation: .cancelActivation
        case .requestSwipe: .requestSwipe
        case .cancelSwipe: .cancelSwipe
        case .set: .set
        case .get: .get
        case .levels: .levels
        case .testCommunication: .testCommunication
        case .setAudioReader: .setAudioReader
        case .autodetect: .autodetect
        case .answerPrompt: .answerPrompt
        case .propertyGet: .propertyGet
        case .propertySet: .propertySet
        case .simulate: .simulate
        case .reload: .reload
        case .logLevel: .logLevel
        }
    }
}
