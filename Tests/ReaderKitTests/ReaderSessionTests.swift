import ReaderKit
import ReaderTesting
import Testing

@Suite struct ReaderSessionTests {
    /// A session at work, and the stream of what it says.
    private struct Bench {
        let transport = ScriptedTransport<HIDReport>()
        let session: ReaderSession<EchoDriver>
        let steps: AsyncStream<ReaderStep>

        init() {
            let (steps, sink) = AsyncStream<ReaderStep>.makeStream()
            self.steps = steps
            let device = DeviceIdentity(readerID: "echo-1", bus: .usb, node: "/dev/hidraw0")
            session = ReaderSession(
                driver: EchoDriver(device), transport: transport,
                lifecycle: ReaderLifecycle(ReaderDetails(model: "echo"))
            ) { step, _ in sink.yield(step) }
        }
    }

    private func next(_ count: Int, of steps: AsyncStream<ReaderStep>) async -> [ReaderEvent] {
        var events: [ReaderEvent] = []
        for await step in steps {
            events.append(step.event)
            if events.count == count { break }
        }
        return events
    }

    @Test func pumpsReportsThroughTheDriver() async {
        let bench = Bench()
        async let end = bench.session.run()
        await bench.transport.deliver(HIDReport(bytes: [0]))
        await bench.transport.deliver(HIDReport(bytes: [9]))
        let events = await next(5, of: bench.steps)
        #expect(
            events == [
                .connect(ReaderDetails(model: "echo")), .activate(.success, why: nil), .ready(expiresIn: nil),
                .swipe(Swipe(tracks: [])),
                .malformed("unknown byte"),
            ])
        await bench.transport.fail(.gone)
        let (error, lifecycle) = await end
        #expect(error == .gone)
        #expect(lifecycle.state == .ready)
    }

    @Test func timersReachTheDriver() async {
        let bench = Bench()
        async let end = bench.session.run()
        await bench.transport.deliver(HIDReport(bytes: [1]))
        #expect(await next(4, of: bench.steps).last == .unready(.timeout))
        await bench.transport.close()
        #expect(await end.0 == .closed)
    }

    @Test func aRefusedCommandReachesTheDriver() async {
        let bench = Bench()
        await bench.transport.refuseCommands(.refused)
        async let end = bench.session.run()
        #expect(await next(4, of: bench.steps).last == .unready(.error))
        await bench.transport.close()
        _ = await end
    }

    /// More commands than the queue holds are dropped, and said.
    @Test func theCommandQueueIsBounded() async {
        let bench = Bench()
        async let end = bench.session.run()
        await bench.transport.deliver(HIDReport(bytes: [2]))
        let events = await next(4, of: bench.steps)
        #expect(events.last == .malformed("more than 16 commands wait"))
        await bench.transport.close()
        _ = await end
    }

    /// Whoever asked for a property hears an answer even when the reader is pulled out first.
    @Test func propertiesAreAnsweredWhateverHappens() async {
        let bench = Bench()
        async let end = bench.session.run()
        _ = await next(3, of: bench.steps)
        #expect(await bench.session.property("any", newValue: nil) == .success(.number(7)))
        async let silent = bench.session.property("silent", newValue: nil)
        await bench.transport.fail(.gone)
        #expect(await silent == .failure(.device(.gone)))
        _ = await end
        #expect(await bench.session.property("any", newValue: nil) == .failure(.device(.gone)))
    }
}
