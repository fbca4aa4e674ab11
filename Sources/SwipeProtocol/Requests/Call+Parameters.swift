/// The parameters of each method, described once: what a client sends, what the daemon takes, and what the schema says.
extension Call: WireMembers {
    /// What reading the parameters starts from.
    static func blank(_ method: Method) -> Call {
        switch method {
        case .subscribe: .subscribe(Subscription(wantsSnapshot: false))
        case .unsubscribe: .unsubscribe
        case .narrow: .narrow(.status)
        case .readers: .readers
        case .claim: .claim(reader: "", .ask, token: nil)
        case .release: .release(reader: "")
        case .retain: .retain(reader: "")
        case .stats: .stats(reader: nil)
        case .schema: .schema
        case .barrier: .barrier
        case .ping: .ping
        case .reload: .control(.reload, reader: nil)
        case .logLevel: .control(.logLevel(nil), reader: nil)
        case .activate: .control(.activate, reader: "")
        case .deactivate: .control(.deactivate, reader: "")
        case .cancelActivation: .control(.cancelActivation, reader: "")
        case .requestSwipe: .control(.requestSwipe(timeoutSeconds: nil), reader: "")
        case .cancelSwipe: .control(.cancelSwipe, reader: "")
        case .set: .control(.set(ReaderSettings()), reader: "")
        case .get: .control(.get, reader: "")
        case .levels: .control(.levels(after: nil), reader: "")
        case .testCommunication: .control(.testCommunication, reader: "")
        case .setAudioReader: .control(.setAudioReader(.none), reader: "")
        case .autodetect: .control(.autodetect, reader: "")
        case .answerPrompt: .control(.answerPrompt(id: "", answer: ""), reader: "")
        case .propertyGet: .control(.propertyGet(name: ""), reader: "")
        case .propertySet: .control(.propertySet(name: "", value: .null), reader: "")
        case .simulate: .control(.simulate(SimulatedAction(.swipe)), reader: "")
        }
    }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        switch self {
        case .unsubscribe, .readers, .schema, .barrier, .ping: break
        case .subscribe(var subscription):
            try subscription.members(&fields)
            if F.isReading { self = .subscribe(subscription) }
        case .narrow(var role):
            try fields.required("role", &role, as: Strict.self)
            if F.isReading { self = .narrow(role) }
        case .claim(var reader, var mode, var token):
            try fields.required("reader", &reader, as: Name.self)
            try fields.assumed("mode", &mode)
            try fields.optional("token", &token, as: Name.self)
            if F.isReading { self = .claim(reader: reader, mode, token: token) }
        case .release(var reader):
            try fields.required("reader", &reader, as: Name.self)
            if F.isReading { self = .release(reader: reader) }
        case .retain(var reader):
            try fields.required("reader", &reader, as: Name.self)
            if F.isReading { self = .retain(reader: reader) }
        case .stats(var reader):
            try fields.optional("reader", &reader, as: Name.self)
            if F.isReading { self = .stats(reader: reader) }
        case .control(var control, var reader):
            if var name = reader {
                try fields.required("reader", &name, as: Name.self)
                reader = name
            }
            try control.members(&fields)
            if F.isReading { self = .control(control, reader: reader) }
        }
    }

    /// What is wrong although each parameter by itself is right.
    var complaint: String? {
        guard case .control(let control, _) = self else { return nil }
        if case .set(ReaderSettings()) = control { return "nothing to set" }
        guard case .simulate(let action) = control, action.kind != .swipe, action.card != nil else {
            return nil
        }
        return "card: only a swipe has one"
    }
}

extension ControlRequest: WireMembers {
    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        switch self {
        case .activate, .deactivate, .cancelActivation, .cancelSwipe, .get, .testCommunication, .autodetect,
            .reload:
            break
        case .requestSwipe(var seconds):
            try fields.optional("timeout_s", &seconds, as: SwipeTimeout.self)
            if F.isReading { self = .requestSwipe(timeoutSeconds: seconds) }
        case .levels(var after):
            try fields.optional("after", &after, as: EventNumber.self)
            if F.isReading { self = .levels(after: after) }
        case .set(var settings):
            try settings.members(&fields)
            if F.isReading { self = .set(settings) }
        case .setAudioReader(var type):
            try fields.required("type", &type, as: Strict.self)
            if F.isReading { self = .setAudioReader(type) }
        case .answerPrompt(var id, var answer):
            try fields.required("prompt", &id, as: Name.self)
            try fields.required("answer", &answer, as: Name.self)
            if F.isReading { self = .answerPrompt(id: id, answer: answer) }
        case .propertyGet(var name):
            try fields.required("name", &name, as: Name.self)
            if F.isReading { self = .propertyGet(name: name) }
        case .propertySet(var name, var value):
            try fields.required("name", &name, as: Name.self)
            try fields.required("value", &value)
            if F.isReading { self = .propertySet(name: name, value: value) }
        case .simulate(var action):
            try fields.required("action", &action.kind)
            try fields.optional("card", &action.card, as: Name.self)
            if F.isReading { self = .simulate(action) }
        case .logLevel(var level):
            try fields.optional("level", &level)
            if F.isReading { self = .logLevel(level) }
        }
    }
}
