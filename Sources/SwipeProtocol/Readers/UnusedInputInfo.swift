/// A section of the configuration that gives a sound card to a reader, and is not used: the card is not there, or another
/// section has it.
public struct UnusedInputInfo: Sendable, Hashable {
    /// The section, without its brackets.
    public var section: String
    /// The ALSA device that it names.
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

extension UnusedInputInfo: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("section", section)
        writer.field("device", device)
        writer.field("why", why)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        self.init(
            section: try object.required("section"), device: try object.required("device"),
            why: try object.required("why"))
    }
}
