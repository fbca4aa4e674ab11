import ReaderKit
import Testing

@testable import SwipeDaemon

/// What a reader's statistics count as an error of its communication, from which the doctor says that it broke its protocol.
@Suite struct CommunicationErrorTests {
    @Test(arguments: [
        (ReaderEvent.notice(.malformed("a report of the wrong length")), true),
        (.activate(.timeout, why: nil), true), (.activate(.failed, why: "no answer"), true),
        (.unready(.error), true),
        // Nothing was said to it.
        (.activate(.unopened, why: "permission denied"), false), (.activate(.success, why: nil), false),
        (.activate(.declined, why: nil), false), (.unready(.disconnected), false),
        (.notice(.overrun(count: 1)), false),
    ])
    func what(event: ReaderEvent, isOne: Bool) {
        #expect(event.isCommunicationError == isOne)
    }
}
