/// The answer to `readers`.
package struct ReaderList: Sendable, Hashable {
    package var readers: [ReaderInfo]
    /// The sound inputs that are given to readers; left out where there are none.
    package var audioInputs: [AudioInputInfo]
    /// The sections for sound cards that are not used; left out where there are none.
    package var unusedInputs: [UnusedInputInfo]

    package init(
        readers: [ReaderInfo], audioInputs: [AudioInputInfo], unusedInputs: [UnusedInputInfo] = []
    ) {
        self.readers = readers
        self.audioInputs = audioInputs
        self.unusedInputs = unusedInputs
    }
}

extension ReaderList: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("readers", readers)
        if !audioInputs.isEmpty { writer.field("audio_inputs", audioInputs) }
        if !unusedInputs.isEmpty { writer.field("unused_inputs", unusedInputs) }
        writer.endObject()
    }
}
