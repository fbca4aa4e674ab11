import Synchronization
import Testing

@testable import SwipeDaemon

/// Of two reloads at a time the one that read the older file could be applied last.
@Suite struct OneAtATimeTests {
    private final class Crowd: Sendable {
        private let counts = Mutex((inside: 0, most: 0))

        var mostInside: Int { counts.withLock { $0.most } }

        func enter() {
            counts.withLock {
                $0.inside += 1
                $0.most = max($0.most, $0.inside)
            }
        }

        func leave() { counts.withLock { $0.inside -= 1 } }
    }

    @Test func workIsDoneOneAfterTheOther() async {
        let (queue, crowd) = (OneAtATime<Int>(), Crowd())
        let results = await withTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask {
                    await queue.run {
                        crowd.enter()
                        for _ in 0..<20 { await Task.yield() }
                        crowd.leave()
                        return number
                    }
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(crowd.mostInside == 1)
        #expect(results == Set(0..<50))
    }
}
