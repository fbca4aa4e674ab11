internal import SwipeProtocol

/// One event on its way to many: encoded once for each view that somebody has.
struct FanOut {
    private enum Encoded {
        case notYet
        case invisible
        case line(Delivery)
    }

    private let publication: Publication
    private let sequence: UInt64
    private var encoded: InlineArray<3, Encoded> = InlineArray(repeating: .notYet)

    init(_ publication: Publication, sequence: UInt64) {
        self.publication = publication
        self.sequence = sequence
    }

    mutating func delivery(for view: View) -> Delivery? {
        switch encoded[view.rawValue] {
        case .line(let delivery): return delivery
        case .invisible: return nil
        case .notYet:
            guard let body = publication.body(view) else {
                encoded[view.rawValue] = .invisible
                return nil
            }
            let delivery = encode(body)
            encoded[view.rawValue] = .line(delivery)
            return delivery
        }
    }

    private func encode(_ body: EventBody) -> Delivery {
        let line = event(sequence, body).line()
        guard line.count <= ProtocolLimits.lineOut else {
            return Delivery(
                event(nil, .gap(from: sequence, to: sequence, .tooLong)).line(), sequence: sequence)
        }
        return Delivery(
            line, sequence: sequence, state: StateKey(reader: publication.readerID, kind: publication.kind))
    }

    private func event(_ sequence: UInt64?, _ body: EventBody) -> Event {
        Event(
            sequence: sequence, time: publication.instant.wall,
            monotonicNanoseconds: publication.instant.monotonicNanoseconds, reader: publication.readerID,
            attachment: publication.attachment, isSimulated: publication.isSimulated, body: body)
    }
}
