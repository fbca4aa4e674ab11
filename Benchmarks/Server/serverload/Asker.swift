import Glibc
import LoadMeasures
import Synchronization

/// A healthy client that asks something a hundred times a second, on a thread of its own: how long its answers take.
final class Asker: @unchecked Sendable {
    private let descriptor: Int32
    // The thread's until it has ended, which `finish()` waits for.
    private var latencies = Histogram()
    private let isOver = Atomic(false)
    private var thread = pthread_t()

    private static let interval: UInt64 = 10_000_000

    init(_ path: String) {
        descriptor = Sockets.connect(path)
        skipLine()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Asker>.fromOpaque(context).takeUnretainedValue().run()
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func run() {
        var due = Clock.now()
        while !isOver.load(ordering: .relaxed) {
            due += Asker.interval
            Clock.sleep(until: due)
            let asked = Clock.now()
            Sockets.send(descriptor, Array(#"{"id":1,"method":"ping"}"#.utf8) + [10])
            skipLine()
            latencies.add((Clock.now() - asked) / 1_000)
        }
    }

    private func skipLine() {
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1, byte != 10 {}
    }

    func finish() -> String {
        isOver.store(true, ordering: .relaxed)
        pthread_join(thread, nil)
        close(descriptor)
        return
            "ping p50 \(latencies.percentile(0.5)) us p99 \(latencies.percentile(0.99)) us max \(latencies.maximum) us"
    }
}
