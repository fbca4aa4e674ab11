/// Where a setting is from.
public enum SettingSource: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// The daemon's configuration, or its default where that says nothing.
    case configuration
    /// A client, with `set`, `set_audio_reader` or `autodetect`. It holds until the configuration is loaded anew.
    case set
    /// A search for the kind of reader that the configuration asked for.
    case found
    /// One that this version does not know.
    case unrecognized
}

/// A setting as it is now.
public struct SettingInForce<Value: Sendable & Hashable>: Sendable, Hashable {
    /// What it is.
    public var value: Value
    /// Where that is from.
    public var source: SettingSource

    /// A setting.
    public init(_ value: Value, from source: SettingSource) {
        self.value = value
        self.source = source
    }
}

/// How a reader at a sound input behaves now: what the configuration says, and what clients have set since.
///
/// A `unimag` goes by all of it; readers of the other kinds by ``type`` alone.
public struct SettingsInForce: Sendable, Hashable {
    /// The kind of reader that is expected; `autodetect` also where this version does not know the kind.
    public var type: SettingInForce<AudioReaderType>
    /// Whether the request for a swipe is renewed whenever it ends.
    public var alwaysAcceptSwipe: SettingInForce<Bool>
    /// Whether the reader is powered up when it is attached.
    public var activateOnAttach: SettingInForce<Bool>
    /// Whether the output volume is set to its maximum before the reader is powered up.
    public var volumeToMax: SettingInForce<Bool>
    /// Whether nobody is asked before the reader is powered up.
    public var activateWithoutPrompting: SettingInForce<Bool>
    /// How long a request for a swipe lasts, in seconds.
    public var swipeTimeoutSeconds: SettingInForce<Int>
    /// After how many seconds a question that nobody answers counts as declined.
    public var promptTimeoutSeconds: SettingInForce<Int>

    /// Settings.
    public init(
        type: SettingInForce<AudioReaderType>, alwaysAcceptSwipe: SettingInForce<Bool>,
        activateOnAttach: SettingInForce<Bool>, volumeToMax: SettingInForce<Bool>,
        activateWithoutPrompting: SettingInForce<Bool>, swipeTimeoutSeconds: SettingInForce<Int>,
        promptTimeoutSeconds: SettingInForce<Int>
    ) {
        self.type = type
        self.alwaysAcceptSwipe = alwaysAcceptSwipe
        self.activateOnAttach = activateOnAttach
        self.volumeToMax = volumeToMax
        self.activateWithoutPrompting = activateWithoutPrompting
        self.swipeTimeoutSeconds = swipeTimeoutSeconds
        self.promptTimeoutSeconds = promptTimeoutSeconds
    }
}

extension SettingInForce: JSONEncodable where Value: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("value", value)
        writer.field("source", source)
        writer.endObject()
    }
}

extension SettingInForce: JSONDecodable where Value: JSONDecodable {
    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        self.init(try object.required("value"), from: try object.required("source"))
    }
}

extension SettingsInForce: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("type", type)
        writer.field("always_accept_swipe", alwaysAcceptSwipe)
        writer.field("activate_on_attach", activateOnAttach)
        writer.field("volume_to_max", volumeToMax)
        writer.field("activate_without_prompting", activateWithoutPrompting)
        writer.field("swipe_timeout_s", swipeTimeoutSeconds)
        writer.field("prompt_timeout_s", promptTimeoutSeconds)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        let type: JSONObject = try JSONObject(json: try object.required("type"))
        self.init(
            type: SettingInForce(
                try type.optionalWord("value") ?? .autodetect, from: try type.required("source")),
            alwaysAcceptSwipe: try object.required("always_accept_swipe"),
            activateOnAttach: try object.required("activate_on_attach"),
            volumeToMax: try object.required("volume_to_max"),
            activateWithoutPrompting: try object.required("activate_without_prompting"),
            swipeTimeoutSeconds: try object.required("swipe_timeout_s"),
            promptTimeoutSeconds: try object.required("prompt_timeout_s"))
    }
}
