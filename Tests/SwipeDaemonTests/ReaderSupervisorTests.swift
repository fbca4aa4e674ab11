import Dispatch
import Logging
import ReaderKit
import ReaderTesting
import SwipeDaemon
import Testing

/// The supervisor with scripted devices: who is told what, whatever order things come in.
@Suite struct ReaderSupervisorTests {
    /// A driver that is ready at once, and reads every report as a swipe.
    private struct PlainDriver: ReaderDriver {
        static let descriptor = DriverDescriptor(name: "plain", kind: "plain", matches: [])
        init(_ device: DeviceIdentity) {}
        mutating func start() -> [DriverAction] {
            [.signal(.activated(.success)), .signal(.ready(expiresIn: nil))]
        }
        mutating func receive(_ report: HIDReport) -> [DriverAction] { [.signal(.swiped(Swipe(tracks: [])))] }
        mutating func timerFired() -> [DriverAction] { [] }
        mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }
    }

    private static let match = DeviceMatch(model: "Plain", support: .supported(proof: "this test"))

    private struct Bench {
        let supervisor: ReaderSupervisor
        let announcements: AsyncStream<ReaderAnnouncement>

        init() {
            let (stream, sink) = AsyncStream<ReaderAnnouncement>.makeStream()
            announcements = stream
            var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            logger.logLevel = .critical
            supervisor = ReaderSupervisor(logger: logger) { sink.yield($0) }
        }

        func next(_ count: Int) async -> [ReaderAnnouncement] {
            var all: [ReaderAnnouncement] = []
            for await announcement in announcements {
                all.append(announcement)
                if all.count == count { break }
            }
            return all
        }

        func next(through isLast: (ReaderAnnouncement) -> Bool) async -> [ReaderAnnouncement] {
            var all: [ReaderAnnouncement] = []
            for await announcement in announcements {
                all.append(announcement)
                if isLast(announcement) { break }
            }
            return all
        }

        func attach(
            _ device: DeviceIdentity,
            open:
                @escaping @Sendable (DeviceIdentity) async throws(DeviceError) -> any ReaderTransport<
                    HIDReport
                >
        ) async {
            await supervisor.attach(device, match, driver: PlainDriver.self, open: open)
        }
    }

    private func device(_ number: Int = 1) -> DeviceIdentity {
        DeviceIdentity(
            readerID: "plain-1", bus: .usb, node: "/dev/hidraw\(number)", syspath: "/sys/devices/\(number)")
    }

    /// Says with each swipe whether it is where it was wanted.
    private struct PlacedDriver: ReaderDriver {
        static let descriptor = DriverDescriptor(name: "placed", kind: "placed", matches: [])
        init(_ device: DeviceIdentity) {}
        mutating func start() -> [DriverAction] {
            [.signal(.activated(.success)), .signal(.ready(expiresIn: nil))]
        }
        mutating func receive(_ report: HIDReport) -> [DriverAction] {
            QueueExecutor.isHere ? [.signal(.swiped(Swipe(tracks: [])))] : [.signal(.malformed("elsewhere"))]
        }
        mutating func timerFired() -> [DriverAction] { [] }
        mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }
    }

    private final class QueueExecutor: TaskExecutor {
        private static let key = DispatchSpecificKey<Bool>()
        private let queue = DispatchQueue(label: "readers")

        init() { queue.setSpecific(key: Self.key, value: true) }

        static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// A device's session runs where its attachment does, in a daemon on the event loop: no thread stands between the two.
    @Test func aSessionRunsWhereItsReaderDoes() async {
        let bench = Bench()
        let transport = ScriptedTransport<HIDReport>()
        await bench.supervisor.attach(
            device(), Self.match, driver: PlacedDriver.self, terms: AttachmentTerms(executor: QueueExecutor())
        ) { _ in transport }
        await transport.deliver(HIDReport(bytes: []))
        #expect(await bench.next(4).last?.step.event == .swipe(Swipe(tracks: [])))
    }

    @Test func plugSwipeUnplugReplug() async {
        let bench = Bench()
        for attachment in UInt64(1)...2 {
            let transport = ScriptedTransport<HIDReport>()
            await bench.attach(device()) { _ in transport }
            await transport.deliver(HIDReport(bytes: []))
            let plugged = await bench.next(4)
            #expect(
                plugged.map(\.step.event) == [
                    .connect(ReaderDetails(model: "Plain")), .activate(.success, why: nil),
                    .ready(expiresIn: nil), .swipe(Swipe(tracks: [])),
                ])
            #expect(plugged.allSatisfy { $0.reader.attachment == attachment && $0.reader.id == "plain-1" })
            await bench.supervisor.detach(syspath: device().syspath)
            #expect(
                await bench.next(3).map(\.step.event) == [
                    .unready(.disconnected), .deactivate(.unplugged), .disconnect(.unplugged),
                ])
        }
    }

    /// Replaced and pulled out while the driver before it still gives the device back: a life that ends before it began has a
    /// beginning and an end all the same, since the one before it left both to it.
    @Test func aLifeThatNeverBeganIsTold() async {
        let bench = Bench()
        let slow = ScriptedTransport<HIDReport>()
        await bench.attach(device()) { _ in slow }
        _ = await bench.next(3)
        await slow.holdClosing()
        await bench.supervisor.replace(
            device(), Self.match, driver: PlainDriver.self, terms: AttachmentTerms()
        ) { _ in ScriptedTransport<HIDReport>() }
        await bench.supervisor.detach(syspath: device().syspath)
        await bench.attach(device()) { _ in ScriptedTransport<HIDReport>() }
        await slow.letClose()
        let told = await bench.next { $0.reader.attachment == 2 && $0.step.event == .ready(expiresIn: nil) }
        #expect(
            told.filter { $0.reader.attachment == 1 }.map(\.step.event) == [
                .unready(.deactivated), .deactivate(.deactivated), .disconnect(.deactivated),
                .connect(ReaderDetails(model: "Plain")), .disconnect(.unplugged),
            ])
        await bench.supervisor.stop(.shutdown)
    }

    /// The kernel's word comes before udev's: clients hear of the end once.
    @Test func goneBeforeRemoved() async {
        let bench = Bench()
        let transport = ScriptedTransport<HIDReport>()
        await bench.attach(device()) { _ in transport }
        _ = await bench.next(3)
        await transport.fail(.gone)
        #expect(await bench.next(3).last?.step.event == .disconnect(.unplugged))
        await bench.supervisor.detach(syspath: device().syspath)
        #expect(await bench.supervisor.count == 0)
        let next = ScriptedTransport<HIDReport>()
        await bench.attach(device(2)) { _ in next }
        #expect(await bench.next(1).first?.reader.attachment == 2)
        await bench.supervisor.stop(.shutdown)
    }

    /// A device that can be opened a second time; the transports, in that order.
    private func attachTwice(_ bench: Bench) async -> [ScriptedTransport<HIDReport>] {
        let transports = [ScriptedTransport<HIDReport>(), ScriptedTransport<HIDReport>()]
        let queue = AsyncStream<ScriptedTransport<HIDReport>> { continuation in
            for transport in transports { continuation.yield(transport) }
        }
        await bench.attach(device()) { _ in
            for await transport in queue { return transport }
            return transports[1]
        }
        return transports
    }

    /// Gone and not removed: the device was reset, and begins a new life by itself.
    @Test func resetWithoutRemoval() async {
        let bench = Bench()
        let transports = await attachTwice(bench)
        _ = await bench.next(3)
        await transports[0].fail(.gone)
        let events = await bench.next(5)
        #expect(events.last?.step.event == .activate(.success, why: nil))
        #expect(events.last?.reader.attachment == 2)
        await bench.supervisor.stop(.shutdown)
    }

    /// It slept with the machine: nothing is wrong with it, nobody has to be told what to do, and it is the same attachment.
    @Test func sleepsAndWakes() async {
        let bench = Bench()
        let transports = await attachTwice(bench)
        _ = await bench.next(3)
        await transports[0].fail(.suspended)
        let woken = await bench.next(4)
        #expect(
            woken.map(\.step.event) == [
                .unready(.suspended), .deactivate(.suspended), .activate(.success, why: nil),
                .ready(expiresIn: nil),
            ])
        #expect(woken.allSatisfy { $0.reader.attachment == 1 })
        await bench.supervisor.stop(.shutdown)
    }

    /// Plugged in as udev says, and not there when it is opened: kept from us, not gone, and tried again.
    @Test func whatCannotBeFoundIsNotUnplugged() async {
        let bench = Bench()
        let transport = ScriptedTransport<HIDReport>()
        let attempts = AsyncStream<Int> { continuation in
            for attempt in 1...2 { continuation.yield(attempt) }
        }
        await bench.attach(device()) { (_) async throws(DeviceError) -> any ReaderTransport<HIDReport> in
            for await attempt in attempts {
                if attempt == 1 { throw .gone }
                break
            }
            return transport
        }
        let events = await bench.next(4).map(\.step.event)
        guard case .connect = events[0], case .activate(.unopened, let why?) = events[1] else {
            Issue.record("\(events)")
            return
        }
        #expect(why.contains("DeviceAllow"))
        #expect(events[2...] == [.activate(.success, why: nil), .ready(expiresIn: nil)])
        await bench.supervisor.stop(.shutdown)
    }

    /// A refusal is said once, in words that name what to do, and the next attempt may work.
    @Test func permissionDeniedThenGranted() async {
        let bench = Bench()
        let transport = ScriptedTransport<HIDReport>()
        let attempts = AsyncStream<Int> { continuation in
            for attempt in 1...10 { continuation.yield(attempt) }
        }
        await bench.attach(device()) { (_) async throws(DeviceError) -> any ReaderTransport<HIDReport> in
            for await attempt in attempts {
                if attempt <= 2 { throw .permissionDenied(detail: "see 70-swiped.rules") }
                break
            }
            return transport
        }
        let events = await bench.next(4).map(\.step.event)
        #expect(
            events == [
                .connect(ReaderDetails(model: "Plain")),
                .activate(.unopened, why: "permission denied: see 70-swiped.rules"),
                .activate(.success, why: nil), .ready(expiresIn: nil),
            ])
        await bench.supervisor.stop(.shutdown)
        #expect(await bench.next(3).last?.step.event == .disconnect(.shutdown))
    }

    @Test func equalReadersGetNamesOfTheirOwn() async {
        let bench = Bench()
        let transports = [ScriptedTransport<HIDReport>(), ScriptedTransport<HIDReport>()]
        await bench.attach(device(1)) { _ in transports[0] }
        await bench.attach(device(2)) { _ in transports[1] }
        let names = Set(await bench.next(6).map(\.reader.id))
        #expect(names == ["plain-1", "plain-1-2"])
        await bench.supervisor.stop(.shutdown)
    }

    @Test func unsupportedDevicesAreShownAndNeverOpened() async {
        let bench = Bench()
        await bench.supervisor.attachUnsupported(
            device(), Self.match, kind: "magtek", remedy: "switch it to HID mode")
        let events = await bench.next(2)
        #expect(events.last?.step.event == .activate(.unopened, why: "switch it to HID mode"))
        await bench.supervisor.detach(syspath: device().syspath)
        #expect(await bench.next(1).last?.step.event == .disconnect(.unplugged))
    }
}
