internal import SwipeProtocol

/// One event on its way to many clients: encoded once for each view that some client has.
struct FanOut {
    private enum Encoded {
        case notYet
        case invisible
        case line(Delivery)
        /// A `gap` in place of a line that is too long to be delivered.
        case tooLong(Delivery)
    }

    private let publication: Publication
    let sequence: UInt64
    /// For a swipe: under what it is in custody.
    var receipt: SwipeCustody.Receipt?
    private var bodies: InlineArray<3, EventBody??> = InlineArray(repeating: nil)
    private var withReceipt: InlineArray<3, Delivery?> = InlineArray(repeating: nil)
    private var encoded: InlineArray<3, Encoded> = InlineArray(repeating: .notYet)

    init(_ publication: Publication, sequence: UInt64) {
        self.publication = publication
        self.sequence = sequence
    }

    /// The event as a view sees it; nil where it does not see it at all.
    mutating func body(for view: View) -> EventBody? {
        if let known = bodies[view.rawValue] { return known }
        let body = publication.body(view)
        bodies[view.rawValue] = .some(body)
        return body
    }

    /// The event as some view sees it: one for which it was made already, where there is one.
    mutating func anyBody() -> EventBody? {
        for view in View.allCases { if case .some(.some(let body)) = bodies[view.rawValue] { return body } }
        return body(for: .status)
    }

    mutating func delivery(for view: View) -> Delivery? {
        switch encoded[view.rawValue] {
        case .line(let delivery), .tooLong(let delivery): return delivery
        case .invisible: return nil
        case .notYet:
            guard let body = body(for: view) else {
                encoded[view.rawValue] = .invisible
                return nil
            }
            encoded[view.rawValue] = encode(body)
            return delivery(for: view)
        }
    }

    /// The same line for the clients that may have the swipe, with the receipt under which it is in custody.
    mutating func delivery(withReceipt view: View) -> Delivery? {
        if let made = withReceipt[view.rawValue] { return made }
        guard let plain = delivery(for: view) else { return nil }
        // A gap is not a swipe: a client that got it did not get the swipe.
        if case .tooLong = encoded[view.rawValue] { return plain }
        let delivery = Delivery(plain.line, sequence: plain.sequence, state: plain.state, receipt: receipt)
        withReceipt[view.rawValue] = delivery
        return delivery
    }

    private func encode(_ body: EventBody) -> Encoded {
        let line = event(sequence, body).line()
        guard line.count <= ProtocolLimits.lineOut else {
            return .tooLong(
                Delivery(event(nil, .gap(from: sequence, to: sequence, .tooLong)).line(), sequence: sequence))
        }
        return .line(
            Delivery(
                line, sequence: sequence, state: StateKey(reader: publication.readerID, body)))
    }

    private func event(_ sequence: UInt64?, _ body: EventBody) -> Event {
        Event(
            sequence: sequence, time: publication.instant.wall,
            monotonicNanoseconds: publication.instant.monotonicNanoseconds, reader: publication.readerID,
            attachment: publication.attachment, isSimulated: publication.isSimulated, body: body)
    }
}
