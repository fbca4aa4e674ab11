extension Request {
    /// The request's line, as a client sends it.
    package func line() -> EncodedLine {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("method", call.method)
        call.writeParameters(to: &writer)
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

    func writeParameters(to writer: inout JSONWriter) {
        switch self {
        case .unsubscribe, .readers, .schema, .barrier, .ping, .stats(reader: nil): return
        case .subscribe(let subscription):
            writer.name("params")
            return subscription.write(to: &writer)
        case .claim, .release, .retain, .stats, .control: break
        }
        writer.name("params")
        writer.beginObject()
        switch self {
        case .unsubscribe, .readers, .schema, .barrier, .ping, .subscribe: break
        case .stats(let reader): writer.field("reader", ifPresent: reader)
        case .release(let reader), .retain(let reader): writer.field("reader", reader)
        case .claim(let reader, let mode, let token):
            writer.field("reader", reader)
            writer.field("mode", mode)
            writer.field("token", ifPresent: token)
        case .control(let control, let reader):
            writer.field("reader", ifPresent: reader)
            control.writeParameters(to: &writer)
        }
        writer.endObject()
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

    fileprivate func writeParameters(to writer: inout JSONWriter) {
        switch self {
        case .activate, .deactivate, .cancelActivation, .cancelSwipe, .testCommunication, .autodetect, .get,
            .reload:
            break
        case .requestSwipe(let seconds): writer.field("timeout_s", ifPresent: seconds)
        case .set(let settings):
            writer.field("always_accept_swipe", ifPresent: settings.alwaysAcceptSwipe)
            writer.field("activate_on_attach", ifPresent: settings.activateOnAttach)
            writer.field("volume_to_max", ifPresent: settings.volumeToMax)
            writer.field("activate_without_prompting", ifPresent: settings.activateWithoutPrompting)
            writer.field("swipe_timeout_s", ifPresent: settings.swipeTimeoutSeconds)
        case .setAudioReader(let type): writer.field("type", type)
        case .answerPrompt(let id, let answer):
            writer.field("prompt", id)
            writer.field("answer", answer)
        case .propertyGet(let name): writer.field("name", name)
        case .propertySet(let name, let value):
            writer.field("name", name)
            writer.field("value", value)
        case .simulate(let action):
            writer.field("action", action.kind)
            writer.field("card", ifPresent: action.card)
        case .logLevel(let level): writer.field("level", ifPresent: level)
        }
    }
}
