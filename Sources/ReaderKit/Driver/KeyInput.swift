/// What a reader that types sent, and when.
package struct KeyInput: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A boot keyboard's report (HID 1.11, B.1): the modifiers, a byte for the maker, the keys that are down.
        case report([UInt8])
        /// Keys that went down or up, in their order.
        case keys([KeyChange])
        /// The kernel lost some of them (SYN_DROPPED).
        case lost
        /// They are heard from here on; what was typed before went elsewhere.
        case opened
    }

    package var content: Content
    /// On a clock of the transport's, of which only differences count.
    package var time: Duration

    package init(_ content: Content, at time: Duration) {
        self.content = content
        self.time = time
    }
}

/// A key that went down or up.
package struct KeyChange: Sendable, Hashable {
    package enum Direction: Sendable, Hashable {
        case down, up
        /// It is held, and repeats: no key of a swipe.
        case repeated
    }

    /// Linux' code of it (linux/input-event-codes.h).
    package var code: UInt16
    package var direction: Direction

    package init(_ code: UInt16, _ direction: Direction) {
        self.code = code
        self.direction = direction
    }
}
