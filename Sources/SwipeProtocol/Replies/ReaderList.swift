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

extension ReaderList: WireObject {
    package static var blank: ReaderList { ReaderList(readers: [], audioInputs: []) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("readers", &readers)
        try fields.list("audio_inputs", &audioInputs)
        try fields.list("unused_inputs", &unusedInputs)
    }
}
