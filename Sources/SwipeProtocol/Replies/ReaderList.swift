/// The answer to `readers`.
package struct ReaderList: Sendable, Hashable {
    package var readers: [ReaderInfo]
    /// The sound inputs that are given to readers; left out where there are none.
    package var audioInputs: [AudioInputInfo]

    package init(readers: [ReaderInfo], audioInputs: [AudioInputInfo]) {
        self.readers = readers
        self.audioInputs = audioInputs
    }
}

extension ReaderList: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("readers", readers)
        if !audioInputs.isEmpty { writer.field("audio_inputs", audioInputs) }
        writer.endObject()
    }
}
