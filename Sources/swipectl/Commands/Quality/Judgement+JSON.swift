import StripeSignal
import SwipeProtocol

extension Judgement {
    /// As a member of a swipe's line.
    func write(to writer: inout JSONWriter) {
        writer.name("judgement")
        writer.beginObject()
        writer.field("blame", causes.map(\.rawValue))
        writer.field("evidence", evidence)
        writer.endObject()
    }
}
