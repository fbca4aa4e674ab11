import ReaderKit
import ReaderTesting
import Synchronization
import Testing

/// What a driver hears, and in what order, on a machine that is too busy to handle each input as it comes.
@Suite struct BusySessionTests {
    private typealias Bench = EchoBench<BusyTransport>

    /// Connect, activate, ready.
    private static let beginning = 3

    /// The timer runs out while an input waits that came in time: the input is heard first, and what comes behind it no more.
    @Test func inputsThatCameInTimeAreHeardBeforeTheTimer() async {
        let bench = Bench(BusyTransport(arrived: 2, behindTheTimer: [[0], [9]]))
        async let end = bench.session.run()
        await bench.transport.script.deliver(HIDReport(bytes: [1]))
        let first = await bench.next(skipping: Self.beginning)
        #expect(first == .swipe(Swipe(tracks: [])))
        if first == .swipe(Swipe(tracks: [])) {
            #expect(await bench.next() == .unready(.timeout))
        }
        await bench.transport.close()
        _ = await end
    }

    /// The driver gave up waiting when it heard the input: it is not told that it waited too long.
    @Test func anInputThatCameInTimeStopsTheTimer() async {
        let bench = Bench(BusyTransport(arrived: 2, behindTheTimer: [[4], [9]]))
        async let end = bench.session.run()
        await bench.transport.script.deliver(HIDReport(bytes: [1]))
        #expect(await bench.next(skipping: Self.beginning) == .malformed("unknown byte"))
        await bench.transport.close()
        _ = await end
    }

    /// A process that was stopped finds its timer run out, and what came meanwhile with the kernel: nobody has fetched it yet.
    @Test func whatTheKernelHoldsIsHeardBeforeTheTimer() async {
        let bench = Bench(BusyTransport(arrived: 1, heldByTheKernel: [0], behindTheTimer: [[9]]))
        async let end = bench.session.run()
        await bench.transport.script.deliver(HIDReport(bytes: [1]))
        let first = await bench.next(skipping: Self.beginning)
        #expect(first == .swipe(Swipe(tracks: [])))
        if first == .swipe(Swipe(tracks: [])) {
            #expect(await bench.next() == .unready(.timeout))
        }
        await bench.transport.close()
        _ = await end
    }

    /// Where nothing waits, a timer waits for nothing.
    @Test func aTimerWithoutInputsIsHeardAtOnce() async {
        let bench = Bench(BusyTransport(arrived: 1, behindTheTimer: []))
        async let end = bench.session.run()
        await bench.transport.script.deliver(HIDReport(bytes: [1]))
        #expect(await bench.next(skipping: Self.beginning) == .unready(.timeout))
        await bench.transport.close()
        _ = await end
    }

    /// A loss is counted as soon as it is seen, and the driver hears of it where the gap is: between two inputs.
    @Test func theDriverHearsOfALossInItsPlace() async {
        let bench = Bench(BusyTransport(arrived: 0, lost: 2, behindTheTimer: []))
        async let end = bench.session.run()
        // The second byte says how many were lost before.
        for bytes in [[9, 0], [9, 0], [0, 2], [9, 2]] as [[UInt8]] {
            await bench.transport.script.deliver(HIDReport(bytes: bytes))
        }
        var events = [await bench.next(skipping: Self.beginning)]
        for _ in 0..<4 { events.append(await bench.next()) }
        #expect(
            events == [
                .malformed("unknown byte"), .overrun(count: 2), .malformed("unknown byte"),
                .malformed("inputs lost"), .swipe(Swipe(tracks: [])),
            ])
        #expect(await bench.next() == .malformed("unknown byte"))
        await bench.transport.close()
        _ = await end
    }
}

/// A device of whose inputs some came, or were lost, before anybody looked.
private final class BusyTransport: ReaderTransport {
    let script = ScriptedTransport<HIDReport>()
    let lostInputs: Int
    private let arrived: Int
    private let held: [[UInt8]]
    private let heldByTheKernel: [UInt8]?
    private let fetched = Atomic<Int>(0)
    private let fetching = Mutex<Task<Void, Never>?>(nil)
    private let wasAsked = Atomic<Bool>(false)
    private let lostBefore = Atomic<Int>(0)

    /// - Parameters:
    ///   - arrived: inputs that came, delivered or not, when the timer runs out for the first time.
    ///   - lost: inputs that were lost.
    ///   - heldByTheKernel: came as well, and is fetched once somebody asks for it.
    ///   - behindTheTimer: what is delivered once the timer has run out.
    init(
        arrived: Int, lost: Int = 0, heldByTheKernel: [UInt8]? = nil, behindTheTimer held: [[UInt8]]
    ) {
        self.arrived = arrived
        self.heldByTheKernel = heldByTheKernel
        lostInputs = lost
        self.held = held
    }

    func fetchArrived() async {
        guard let heldByTheKernel, fetched.exchange(1, ordering: .relaxed) == 0 else { return }
        fetching.withLock { [script] in
            $0 = Task { await script.deliver(HIDReport(bytes: heldByTheKernel)) }
        }
    }

    /// Asked when the timer has run out. Later there is no end of what came.
    var arrivedInputs: Int {
        guard !wasAsked.exchange(true, ordering: .relaxed) else { return .max }
        let before = fetching.withLock { $0 }
        Task {
            await before?.value
            for bytes in held { await script.deliver(HIDReport(bytes: bytes)) }
        }
        return arrived + fetched.load(ordering: .relaxed)
    }

    var lostBeforeLastInput: Int { lostBefore.load(ordering: .relaxed) }

    func receive() async throws(DeviceError) -> HIDReport {
        let report = try await script.receive()
        lostBefore.store(report.bytes.dropFirst().first.map { Int($0) } ?? 0, ordering: .relaxed)
        return report
    }

    func send(_ command: TransportCommand) async throws(DeviceError) { try await script.send(command) }
    func close() async { await script.close() }
}
