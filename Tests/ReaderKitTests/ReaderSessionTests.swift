import ReaderKit
import ReaderTesting
import Testing

@Suite struct ReaderSessionTests {
    private typealias Bench = EchoBench<ScriptedTransport<HIDReport>>

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

    /// It belongs to a life that is over, and must not end the next one.
    @Test func aVolumeThatStaysUpIsToldToPeopleOnly() async {
        let bench = Bench()
        await bench.transport.refuseCommands(.system(errno: 5, operation: "setting the volume"))
        async let end = bench.session.run()
        _ = await next(4, of: bench.steps)
        await bench.transport.deliver(HIDReport(bytes: [3]))
        let told = await next(2, of: bench.steps)
        guard case .notice(.malformed(let words)) = told.last else { return #expect(Bool(false), "\(told)") }
        #expect(words.hasPrefix("the volume could not be put back: "))
        await bench.transport.deliver(HIDReport(bytes: [9]))
        #expect(await next(1, of: bench.steps) == [.malformed("unknown byte")])
        await bench.transport.close()
        _ = await end
    }

    /// More commands than the queue holds are dropped, and said; the driver hears that they failed.
    @Test func theCommandQueueIsBounded() async {
        let bench = Bench()
        async let end = bench.session.run()
        await bench.transport.deliver(HIDReport(bytes: [2]))
        let events = await next(5, of: bench.steps)
        #expect(events.suffix(2) == [.malformed("more than 16 commands wait"), .unready(.error)])
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

    /// A request is answered at once, and its signals go the way of all others.
    @Test func requestsReachTheDriver() async {
        let bench = Bench()
        async let end = bench.session.run()
        _ = await next(3, of: bench.steps)
        #expect(
            await bench.session.request(.activate) == .refused(RequestRefusal(.wrongState, "it is active")))
        #expect(await bench.session.request(.testCommunication) == .accepted(warning: "a loud tone"))
        #expect(await next(1, of: bench.steps) == [.testCompleted(true, why: nil)])
        await bench.transport.fail(.gone)
        _ = await end
        #expect(
            await bench.session.request(.deactivate) == .refused(RequestRefusal(.gone, "the reader is gone")))
    }

    /// What is no reader of the kind that is powered refuses everything in words.
    @Test(arguments: [
        ReaderRequest.activate, .cancelActivation, .deactivate, .requestSwipe(), .cancelSwipe,
        .testCommunication,
        .answerPrompt(id: 1, .accept), .configure(ReaderOptions()),
    ])
    func readersThatAreAlwaysReadyRefuse(request: ReaderRequest) {
        var driver = MuteDriver(
            DeviceIdentity(readerID: "mute-1", bus: .usb, node: ""), options: ReaderOptions())
        let (outcome, actions) = driver.request(request)
        guard case .refused(let refusal) = outcome else { return #expect(Bool(false)) }
        #expect(refusal.code == .notApplicable)
        #expect(refusal.reason.contains("mute"))
        #expect(actions == [])
    }
}

/// A driver with nothing of its own.
private struct MuteDriver: ReaderDriver {
    static let descriptor = DriverDescriptor(name: "mute", kind: "mute", matches: [])
    init(_ device: DeviceIdentity) {}
    mutating func start() -> [DriverAction] { [] }
    mutating func receive(_ report: HIDReport) -> [DriverAction] { [] }
    mutating func timerFired() -> [DriverAction] { [] }
    mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }
}
