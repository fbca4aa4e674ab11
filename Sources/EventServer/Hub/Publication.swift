package import SwipeProtocol

/// One thing that happened, given to the server by any thread.
package struct Publication: Sendable {
    /// The reader's state after it, kept for snapshots; nil when the reader is gone, or the event concerns none.
    package var reader: ReaderInfo?
    /// The reader that it happened to; nil where it concerns none.
    package var readerID: String?
    package var attachment: UInt64?
    package var isSimulated: Bool
    package var instant: EventInstant
    package var kind: EventKind
    /// The event as a view sees it: masking comes before encoding. Called on the server's loop, at most once for each
    /// view that some client has. Nil: the view does not see it at all, which its clients notice as a missing `seq`.
    package var body: @Sendable (View) -> EventBody?

    /// Something whose form depends on the view: a swipe.
    package init(
        reader: ReaderInfo, kind: EventKind, instant: EventInstant = .now(),
        body: @escaping @Sendable (View) -> EventBody?
    ) {
        self.reader = reader
        readerID = reader.id
        attachment = reader.attachment
        isSimulated = reader.isSimulated
        self.instant = instant
        self.kind = kind
        self.body = body
    }

    /// Something that all views see in the same form. `reader` is the state after it; that of a reader that is gone is
    /// kept no more: snapshots leave it out from now on.
    package init(reader: ReaderInfo, instant: EventInstant = .now(), _ event: EventBody) {
        self.init(reader: reader, kind: event.kind ?? .gap, instant: instant) { _ in event }
        if case .disconnect = event { self.reader = nil }
    }

    /// Something about a reader that leaves its state as it is; the server's own events about claims.
    init(
        readerID: String, attachment: UInt64?, isSimulated: Bool, instant: EventInstant = .now(),
        _ event: EventBody
    ) {
        reader = nil
        self.readerID = readerID
        self.attachment = attachment
        self.isSimulated = isSimulated
        self.instant = instant
        kind = event.kind ?? .gap
        body = { _ in event }
    }
}
