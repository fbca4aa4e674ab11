import ReaderKit
import Testing

@testable import DeviceIO

@Suite struct MailboxTests {
    /// What finds no room is counted at once, and has its place behind what was queued then.
    @Test func lossesHaveAPlace() async throws {
        let mailbox = Mailbox<Int>(capacity: 2)
        #expect((1...4).map { mailbox.offer($0) } == [true, true, false, false])
        #expect(mailbox.lost == 2)
        #expect(mailbox.accepted == 2)
        #expect(try await mailbox.next() == 1)
        #expect(mailbox.offer(5))
        #expect(!mailbox.offer(6))
        #expect(mailbox.lostBeforeLast == 0)
        #expect(try await mailbox.next() == 2)
        #expect(mailbox.lostBeforeLast == 0)
        #expect(try await mailbox.next() == 5)
        #expect(mailbox.lostBeforeLast == 2)
        #expect(mailbox.lost == 3)
        // Whether somebody waits for it by now or not.
        async let last = mailbox.next()
        #expect(mailbox.offer(7))
        #expect(try await last == 7)
        #expect(mailbox.lostBeforeLast == 3)
        #expect(mailbox.accepted == 4)
    }

    /// Who can offer again loses nothing, and hears of it that there is room.
    @Test func whoOffersAgain() async throws {
        let mailbox = Mailbox<Int>(capacity: 1)
        #expect(mailbox.offerAgain(1) == .taken)
        #expect(!mailbox.takeRefusal())
        #expect(mailbox.offerAgain(2) == .full)
        #expect(try await mailbox.next() == 1)
        #expect(mailbox.takeRefusal())
        #expect(!mailbox.takeRefusal())
        #expect(mailbox.offerAgain(2) == .taken)
        #expect(mailbox.lost == 0)
        mailbox.close()
        #expect(mailbox.offerAgain(3) == .ended)
    }

    /// What came for somebody who waits has arrived before anybody hears of it.
    @Test func whatIsHandedOverHasArrived() async throws {
        let mailbox = Mailbox<Int>(capacity: 1)
        for number in 1...200 {
            async let next = mailbox.next()
            if number.isMultiple(of: 2) { await Task.yield() }
            #expect(mailbox.deliver(number))
            #expect(mailbox.accepted == number)
            #expect(try await next == number)
        }
        #expect(mailbox.lost == 0)
    }

    /// Nobody wants it any more: that is no loss.
    @Test func whatComesBehindTheEndIsNotLost() {
        let mailbox = Mailbox<Int>(capacity: 1)
        mailbox.close()
        #expect(!mailbox.offer(1))
        #expect(mailbox.lost == 0)
        #expect(mailbox.accepted == 0)
    }
}
