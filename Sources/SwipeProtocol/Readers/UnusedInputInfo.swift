/// A section of the configuration that gives a sound card or a serial line to a reader, and is not used: it is not there, or
/// another section has the card.
public struct UnusedInputInfo: Sendable, Hashable {
    /// The section, without its brackets.
    public var section: String
    /// The ALSA device or the line that it names.
    public var device: String
    /// Why it is not used: words for people.
    public var why: String

    /// A section that is not used.
    public init(section: String, device: String, why: String) {
        self.section = section
        self.device = device
        self.why = why
    }
}

extension UnusedInputInfo: WireObject {
    package static var blank: UnusedInputInfo { UnusedInputInfo(section: "", device: "", why: "") }
    package static var definition: String? { "unused_input" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("section", &section)
        try fields.required("device", &device)
        try fields.required("why", &why)
    }
}
