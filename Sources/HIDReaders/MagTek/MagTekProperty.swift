import ReaderKit

/// A property of a MagTek reader: its name for clients, and how the reader is asked.
struct MagTekProperty: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        /// Property commands 00 and 01 with this number.
        case number(UInt8)
        case keySerialNumber, readerState, securityLevel, encryptionCounter, battery
        /// Can only be set.
        case sessionID, reset, clock
    }

    enum Kind: Sendable, Hashable {
        /// ASCII, so many characters at most.
        case text(Int)
        /// One byte.
        case number(ClosedRange<Int>)
        /// One byte that stands for an ASCII character or for none.
        case character
        /// So many bytes.
        case bytes(Int)
        /// Two bytes, told in words.
        case readerState
        /// `2026-01-31 09:30:00`, in the reader's own form.
        case dateAndTime
    }

    var name: String
    var source: Source
    var kind: Kind
    var isWritable: Bool
    var summary: String

    var descriptor: PropertyDescriptor {
        PropertyDescriptor(name: name, summary: summary, isWritable: isWritable)
    }

    init(_ name: String, _ source: Source, _ kind: Kind, writable: Bool = false, _ summary: String) {
        (self.name, self.source, self.kind, self.isWritable, self.summary) = (
            name, source, kind, writable, summary
        )
    }
}
