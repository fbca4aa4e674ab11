package import ReaderKit
package import SwipeProtocol

/// What the configuration says of the reader at a sound input.
package struct AudioSetup: Sendable, Hashable {
    /// The kind of reader that is expected.
    package var type: AudioReaderType
    package var options: ReaderOptions
    /// Whether the result of a search for the kind holds over restarts.
    package var remembersAutodetect: Bool
    /// Frames a second to ask the card for.
    package var rate: Int
    /// Of a passive reader, each on a channel of the card.
    package var heads: Int
    /// The gain of the input, in percent of its range; nil: it is left alone.
    package var gain: Int?

    package init(
        type: AudioReaderType = .passive, options: ReaderOptions = ReaderOptions(),
        remembersAutodetect: Bool = false, rate: Int = 48_000, heads: Int = 1, gain: Int? = nil
    ) {
        self.type = type
        self.options = options
        self.remembersAutodetect = remembersAutodetect
        self.rate = rate
        self.heads = heads
        self.gain = gain
    }
}

/// How the daemon knows that something is in a jack.
package enum JackChoice: Sendable, Hashable {
    /// The card's own jack controls, else the input switches on the card, else nothing does.
    case automatic
    /// Nothing does: something is in it for as long as the card is there.
    case none
    /// The control, or else the input switch, of that name.
    case named(String)

    init(_ text: String) {
        switch text {
        case "auto": self = .automatic
        case "none": self = .none
        case let name: self = .named(name)
        }
    }
}
