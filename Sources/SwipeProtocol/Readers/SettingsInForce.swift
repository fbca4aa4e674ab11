/// Where a setting is from.
public enum SettingSource: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// The daemon's configuration, or its default where that says nothing.
    case configuration
    /// A client, with `set`, `set_audio_reader` or `autodetect`. It holds until the configuration is loaded anew.
    case set
    /// A search for the kind of reader that the configuration asked for.
    case found
    /// The sound card's mixer, which nobody has set here.
    case card
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
/// A `unimag` goes by all of it; readers of the other kinds by ``type`` and ``gain`` alone.
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
    /// The gain of the sound input, in percent of its range; nil where the card has none that is known.
    public var gain: SettingInForce<Int>?
    /// How many decibels lie between 0 and 100 percent; nil where the card does not say.
    public var gainRangeDecibels: Int?

    /// Settings.
    public init(
        type: SettingInForce<AudioReaderType>, alwaysAcceptSwipe: SettingInForce<Bool>,
        activateOnAttach: SettingInForce<Bool>, volumeToMax: SettingInForce<Bool>,
        activateWithoutPrompting: SettingInForce<Bool>, swipeTimeoutSeconds: SettingInForce<Int>,
        promptTimeoutSeconds: SettingInForce<Int>, gain: SettingInForce<Int>? = nil,
        gainRangeDecibels: Int? = nil
    ) {
        self.type = type
        self.alwaysAcceptSwipe = alwaysAcceptSwipe
        self.activateOnAttach = activateOnAttach
        self.volumeToMax = volumeToMax
        self.activateWithoutPrompting = activateWithoutPrompting
        self.swipeTimeoutSeconds = swipeTimeoutSeconds
        self.promptTimeoutSeconds = promptTimeoutSeconds
        self.gain = gain
        self.gainRangeDecibels = gainRangeDecibels
    }
}

extension SettingInForce: WireForm, WireMembers, JSONEncodable, JSONDecodable, WireValue, WireObject
where Value: SettingValue {
    package static var blank: SettingInForce { SettingInForce(.unset, from: .unrecognized) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("value", &value)
        try fields.required("source", &source)
    }
}

/// A value that a setting may have.
package protocol SettingValue: WireValue {
    /// What reading starts from.
    static var unset: Self { get }
}

extension Bool: SettingValue { package static var unset: Bool { false } }
extension Int: SettingValue { package static var unset: Int { 0 } }
extension AudioReaderType: SettingValue { package static var unset: AudioReaderType { .autodetect } }

extension SettingsInForce: WireObject {
    package static var blank: SettingsInForce {
        SettingsInForce(
            type: .blank, alwaysAcceptSwipe: .blank, activateOnAttach: .blank, volumeToMax: .blank,
            activateWithoutPrompting: .blank, swipeTimeoutSeconds: .blank, promptTimeoutSeconds: .blank)
    }
    package static var definition: String? { "settings" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("type", &type)
        try fields.required("always_accept_swipe", &alwaysAcceptSwipe)
        try fields.required("activate_on_attach", &activateOnAttach)
        try fields.required("volume_to_max", &volumeToMax)
        try fields.required("activate_without_prompting", &activateWithoutPrompting)
        try fields.required("swipe_timeout_s", &swipeTimeoutSeconds)
        try fields.required("prompt_timeout_s", &promptTimeoutSeconds)
        try fields.optional("gain", &gain)
        try fields.optional("gain_range_db", &gainRangeDecibels)
    }
}
