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

extension AudioInputInfo: WireObject {
    package static var blank: AudioInputInfo {
        AudioInputInfo(id: "", device: "", type: .autodetect, isListening: false, why: "")
    }
    package static var definition: String? { "audio_input" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("id", &id)
        try fields.required("device", &device)
        try fields.usual("type", &type)
        try fields.orNull("jack", &jack)
        try fields.orNull("plugged_in", &isPluggedIn)
        try fields.required("microphone", &isListening, as: Microphone.self)
        try fields.required("why", &why)
        try fields.orNull("profile", &profile)
        try fields.required("acoustics", &isAssumed, as: Acoustics.self)
    }

    private enum Microphone: TwoWords { static let words = (yes: "open", no: "closed") }
    private enum Acoustics: TwoWords { static let words = (yes: "assumed", no: "given") }
}

/// A truth value that is one of two words on the wire. Any other word is read as false.
private protocol TwoWords: WireForm<Bool> {
    static var words: (yes: String, no: String) { get }
}

extension TwoWords {
    static var schema: JSONValue { ["enum": .array([words.yes, words.no].map { .string($0) })] }
    static func write(_ value: Bool, to writer: inout JSONWriter) {
        writer.write(value ? words.yes : words.no)
    }
    static func read(_ json: JSONValue) throws(WireError) -> Bool? { try String(json: json) == words.yes }
}
