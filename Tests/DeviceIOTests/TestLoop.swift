import Glibc
import UnixIO

@testable import DeviceIO

/// A loop that does nothing but what it is asked to and what comes from sources. It ends with the test's process.
final class TestLoop: Sendable {
    let sources: SourceLoop
    private let bodies: Guarded<[@Sendable () -> Void]>
    private let wakePipe: WakePipe

    init() throws {
        let (bodies, wakePipe) = (Guarded<[@Sendable () -> Void]>([]), try WakePipe())
        (self.bodies, self.wakePipe) = (bodies, wakePipe)
        sources = try SourceLoop(watch: { _ in }) { body in
            bodies.change { $0.append(body) }
            wakePipe.wake()
        }
        startThread { [sources] in Self.run(sources, bodies, wakePipe) }
    }

    private static func run(
        _ sources: SourceLoop, _ bodies: Guarded<[@Sendable () -> Void]>, _ wakePipe: WakePipe
    ) {
        let wake = sources.wakeDescriptor()
        while true {
            var polled = [
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 2, -1) > 0 else { continue }
            var count: UInt64 = 0
            if read(wake, &count, 8) == 8 { sources.turn() }
            wakePipe.drain()
            let now = bodies.change { bodies in
                defer { bodies = [] }
                return bodies
            }
            for body in now { body() }
        }
    }
}
