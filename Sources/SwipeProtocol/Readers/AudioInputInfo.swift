/// A sound input that the configuration gives to a reader: what is expected of it, and whether it is listened to.
///
/// People distrust an open microphone. This says of each one when it is open, and why; it is there also while nothing
/// is in the jack and no reader is listed.
public struct AudioInputInfo: Sendable, Hashable {
    /// The id of the reader that is listed while something is in the jack.
    public var id: String
    /// The ALSA device.
    public var device: String
    /// The kind of reader that is expected; `autodetect` also where this version does not know the kind.
    public var type: AudioReaderType
    /// What tells that something is in the jack: the name of a control or of an input switch; nil where nothing does.
    public var jack: String?
    /// Whether something is in the jack; nil until that is known. An input without a jack has always something in it.
    public var isPluggedIn: Bool?
    /// Whether the input is being listened to.
    public var isListening: Bool
    /// Why it is, or is not: words for people.
    public var why: String
    /// The acoustic profile by name, the first where several are tried; nil where the reader needs none or the
    /// configuration says nothing of its kind.
    public var profile: String?
    /// Whether how the reader is powered and spoken to is assumed: nobody had one of these readers. False where the
    /// configuration has a profile of its own for it, or the kind needs none.
    public var isAssumed: Bool

    /// A sound input.
    public init(
        id: String, device: String, type: AudioReaderType, jack: String? = nil, isPluggedIn: Bool? = nil,
        isListening: Bool, why: String, profile: String? = nil, isAssumed: Bool = false
    ) {
        self.id = id
        self.device = device
        self.type = type
        self.jack = jack
        self.isPluggedIn = isPluggedIn
        self.isListening = isListening
        self.why = why
        self.profile = profile
        self.isAssumed = isAssumed
    }
}

extension AudioInputInfo: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("device", device)
        writer.field("type", type)
        writer.field("jack", orNull: jack)
        writer.field("plugged_in", orNull: isPluggedIn)
        writer.field("microphone", isListening ? "open" : "closed")
        writer.field("why", why)
        writer.field("profile", orNull: profile)
        writer.field("acoustics", isAssumed ? "assumed" : "given")
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        let microphone: String = try object.required("microphone")
        let acoustics: String = try object.required("acoustics")
        self.init(
            id: try object.required("id"), device: try object.required("device"),
            type: try object.optionalWord("type") ?? .autodetect, jack: try object.optional("jack"),
            isPluggedIn: try object.optional("plugged_in"), isListening: microphone == "open",
            why: try object.required("why"), profile: try object.optional("profile"),
            isAssumed: acoustics == "assumed")
    }
}
