import SwipeProtocol
import Testing

@testable import SwipeClient

@Suite struct EventQueueTests {
    private static func arrival(_ number: UInt64) -> EventStream.Arrival {
        EventStream.Arrival(
            event: Event(
                sequence: number, time: WallTime(microseconds: 0), monotonicNanoseconds: 0, body: .swipeStart),
            line: nil)
    }

    /// In order, whatever comes and goes between: full, half empty, empty, full again.
    @Test(arguments: [(1, 1), (100, 1), (100, 99), (100, 100), (3, 2)])
    func givesInOrder(in added: Int, out taken: Int) {
        var queue = EventQueue()
        var (next, expected): (UInt64, UInt64) = (0, 0)
        for _ in 0..<50 {
            for _ in 0..<added {
                queue.append(Self.arrival(next))
                next += 1
            }
            for _ in 0..<taken {
                #expect(queue.takeFirst()?.event.sequence == expected)
                expected += 1
            }
            #expect(queue.count == Int(next - expected))
        }
        while let arrival = queue.takeFirst() {
            #expect(arrival.event.sequence == expected)
            expected += 1
        }
        #expect(expected == next && queue.isEmpty && queue.count == 0)
    }
}
