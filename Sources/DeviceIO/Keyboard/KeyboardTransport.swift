// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import Glibc
package import ReaderKit
import UnixIO

/// Looks at the keys of a reader that was taken: whether it is to be given back.
package protocol KeyWatch: Sendable {
    mutating func sees(_ input: KeyInput) -> Bool
}

/// A keyboard that is taken out of the focus through evdev: as long as this is open, its keys go nowhere else (EVIOCGRAB). The kernel
/// gives it back when the process ends, however that ends.
///
/// It is taken and given back while no key is down: who saw a key go down elsewhere would wait for ever for it to go up.
///
/// One whose input is inhibited has nothing to be taken of: it is read by its reports.
package final class KeyboardTransport: ReaderTransport {
    /// Inputs that wait for the session. The thread never waits for room: what has none is lost, and counted.
    private static let queuedInputs = 1_024
    /// A sign of life at least as often.
    private static let turnMilliseconds: Int32 = 1_000
    /// While keys are down that are waited for.
    private static let keysMilliseconds: Int32 = 10
    /// Keys that are down when it is to be taken are waited for, turn by turn; then the daemon tries again.
    private static let openingTurns = 200
    /// A key that is held for longer when the daemon ends is stuck.
    private static let closingTurns = 50
    private let inbox = Mailbox<KeyInput>(capacity: KeyboardTransport.queuedInputs)
    private let wakePipe: WakePipe
    private let isClosing = Guarded(false)
    private let ended = Latch()
    private let fetches = FetchRequests()
    private let givesBack: @Sendable () -> String

    /// Takes the keyboard: throws where it cannot be opened or somebody else has taken it. Where keys are down, it is taken once they are
    /// up.
    ///
    /// - Parameters:
    ///   - watch: sees every key; where it says so, the keyboard is given back.
    ///   - givesBack: called then, once; gives the words for it.
    package static func open(
        _ device: DeviceIdentity, watch: any KeyWatch, givesBack: @escaping @Sendable () -> String
    ) async throws(DeviceError) -> KeyboardTransport {
        try await start(givesBack) { transport, opened, pulse in
            transport.run(device, watch, opened, pulse)
        }
    }

    /// Reads one whose input device is inhibited.
    package static func openInhibited(_ device: DeviceIdentity) async throws(DeviceError) -> KeyboardTransport
    {
        try await start({ "" }) { transport, opened, pulse in transport.runInhibited(device, opened, pulse) }
    }

    private typealias Opened = CheckedContinuation<Result<Void, DeviceError>, Never>

    private static func start(
        _ givesBack: @escaping @Sendable () -> String,
        _ run: @escaping @Sendable (KeyboardTransport, Opened, ThreadPulse) -> Void
    ) async throws(DeviceError) -> KeyboardTransport {
        let transport = try KeyboardTransport(givesBack)
        let result = await withCheckedContinuation { (opened: Opened) in
            do throws(DeviceError) {
                try DeviceThread.start("swiped-keys") { run(transport, opened, $0) }
            } catch {
                opened.resume(returning: .failure(error))
            }
        }
        try result.get()
        return transport
    }

    private init(_ givesBack: @escaping @Sendable () -> String) throws(DeviceError) {
        wakePipe = try WakePipe.made()
        self.givesBack = givesBack
    }

    package func receive() async throws(DeviceError) -> KeyInput { try await inbox.next() }

    package func fetchArrived() async { await fetches.wait { wakePipe.wake() } }

    package var arrivedInputs: Int { inbox.accepted }
    package var lostInputs: Int { inbox.lost }
    package var lostBeforeLastInput: Int { inbox.lostBeforeLast }

    /// A keyboard is sent nothing.
    package func send(_ command: TransportCommand) async throws(DeviceError) { throw .refused }

    package func close() async {
        inbox.close()
        await end()
    }

    /// What came before is read: the text of a swipe may still wait for its silence.
    package func unplugged() async {
        inbox.finish(.gone)
        await end()
    }

    private func end() async {
        isClosing.change { $0 = true }
        wakePipe.wake()
        await ended.wait()
    }

    private func runInhibited(_ device: DeviceIdentity, _ opened: Opened, _ pulse: ThreadPulse) {
        defer { leave() }
        let descriptor = (try? ReportDescriptor(device.reportDescriptor)) ?? .empty
        var isOpen = false
        do throws(DeviceError) {
            var keyboard = try HIDNode(device).openReports(number: descriptor.keyReportNumber)
            _ = inbox.offer(KeyInput(.opened, at: Self.now()))
            opened.resume(returning: .success(()))
            isOpen = true
            _ = try serve(&keyboard, pulse) { _ in false }
        } catch {
            if isOpen { inbox.finish(error) } else { opened.resume(returning: .failure(error)) }
        }
    }

    private func leave() {
        fetches.end()
        ended.open()
    }

    private func run(
        _ device: DeviceIdentity, _ watch: any KeyWatch, _ opened: Opened, _ pulse: ThreadPulse
    ) {
        defer { leave() }
        var watch = watch
        var isOpen = false
        do throws(DeviceError) {
            var keyboard = try HIDNode(device).openKeys()
            guard try take(&keyboard, pulse) else { throw .closed }
            opened.resume(returning: .success(()))
            isOpen = true
            let isPersons = try serve(&keyboard, pulse) { watch.sees($0) }
            letGo(&keyboard)
            if isPersons { throw .unsupported(detail: givesBack()) }
        } catch {
            if isOpen { inbox.finish(error) } else { opened.resume(returning: .failure(error)) }
        }
    }

    /// False where it was closed before. Throws ``DeviceError/busy(detail:)`` where a key stays down.
    private func take(_ keyboard: inout EventKeyboard, _ pulse: ThreadPulse) throws(DeviceError) -> Bool {
        for _ in 0..<Self.openingTurns {
            guard !isClosing.change({ $0 }) else { return false }
            _ = try keyboard.read()
            if try !keyboard.isAnyKeyDown() {
                try keyboard.grab()
                // One may have gone down in between: then others saw it.
                if try !keyboard.isAnyKeyDown() {
                    _ = try keyboard.read()
                    _ = inbox.offer(KeyInput(.opened, at: Self.now()))
                    return true
                }
                keyboard.release()
            }
            pulse.beat()
            _ = try wait(keyboard, Self.keysMilliseconds)
        }
        throw .busy(detail: "a key of it is held down")
    }

    /// On the clock of the keys.
    static func now() -> Duration {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }

    /// Reads until it is closed, or until a person types on it: true then.
    private func serve<Source: KeySource & ~Copyable>(
        _ keyboard: inout Source, _ pulse: ThreadPulse, sees: (KeyInput) -> Bool
    ) throws(DeviceError) -> Bool {
        while !isClosing.change({ $0 }) {
            pulse.beat()
            let asked = fetches.count
            guard try wait(keyboard, asked > 0 ? 0 : Self.turnMilliseconds) else {
                fetches.answer(asked)
                continue
            }
            for input in try keyboard.read() {
                _ = inbox.offer(input)
                if sees(input) { return true }
            }
        }
        return false
    }

    /// Gives it back, once no key is down.
    private func letGo(_ keyboard: inout EventKeyboard) {
        for _ in 0..<Self.closingTurns {
            guard (try? keyboard.isAnyKeyDown()) == true else { break }
            usleep(UInt32(Self.keysMilliseconds) * 1_000)
        }
        keyboard.release()
    }

    /// Whether there may be something to read.
    private func wait<Source: KeySource & ~Copyable>(
        _ keyboard: borrowing Source, _ milliseconds: Int32
    ) throws(DeviceError) -> Bool {
        var polled = [
            pollfd(fd: keyboard.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, nfds_t(polled.count), milliseconds) < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
        }
        if polled[1].revents != 0 { wakePipe.drain() }
        if polled[0].revents & Int16(POLLHUP | POLLERR) != 0 { throw .gone }
        return polled[0].revents != 0
    }
}
