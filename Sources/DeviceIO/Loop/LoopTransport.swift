// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import Glibc
import ReaderKit
import SystemPackage

/// Replays what is written to a FIFO into a real driver, as ``VirtualTransport`` does, on the loop on which its session runs.
///
/// That the FIFO is removed is for the hotplug monitor to notice: here nothing wakes to look for it.
final class LoopTransport<Input: Sendable>: ReaderTransport {
    private let inbox = Mailbox<Input>(capacity: VirtualTransport<Input>.queuedInputs)
    private let loop: SourceLoop
    private let replay: LoopReplay<Input>

    /// Nil where the source is no FIFO, or cannot be waited for.
    static func open(
        _ path: String, _ script: any SourceScript<Input>, on loop: SourceLoop,
        complain: @escaping @Sendable (String) -> Void
    ) async throws(DeviceError) -> LoopTransport<Input>? {
        let source = try VirtualTransport<Input>.openSource(path)
        guard VirtualTransport<Input>.isFIFO(source), let wait = LoopWait(loop) else {
            try? source.close()
            return nil
        }
        let transport = LoopTransport(path, source, script, loop, wait, complain)
        return await transport.begin() ? transport : nil
    }

    private init(
        _ path: String, _ source: FileDescriptor, _ script: any SourceScript<Input>, _ loop: SourceLoop,
        _ wait: LoopWait, _ complain: @escaping @Sendable (String) -> Void
    ) {
        self.loop = loop
        replay = LoopReplay(path, source, script, wait, inbox, complain)
    }

    private func begin() async -> Bool {
        await withCheckedContinuation { began in
            loop.run { [replay] in began.resume(returning: replay.begin()) }
        }
    }

    func receive() async throws(DeviceError) -> Input {
        let input = try await inbox.next()
        // What had no room has some now.
        if inbox.takeRefusal() { loop.run { [replay] in replay.goOn() } }
        return input
    }

    var arrivedInputs: Int { inbox.accepted }

    /// There is no device to ask.
    func send(_ command: TransportCommand) async throws(DeviceError) { throw .refused }

    func close() async {
        inbox.close()
        await withCheckedContinuation { closed in
            loop.run { [replay] in
                replay.end()
                closed.resume()
            }
        }
    }

    func unplugged() async {
        await withCheckedContinuation { ended in
            loop.run { [replay] in
                replay.unplug()
                ended.resume()
            }
        }
    }
}

/// The source of a virtual reader at a loop. Everything but its making is done on the loop.
private final class LoopReplay<Input: Sendable>: @unchecked Sendable {
    private let path: String
    private var source: FileDescriptor?
    private var script: any SourceScript<Input>
    private let wait: LoopWait
    private let inbox: Mailbox<Input>
    private let complain: @Sendable (String) -> Void
    /// What found no room yet, and whether its writer has closed.
    private var left: ArraySlice<Input> = []
    private var hasEnded = false
    /// The source was just opened: of a writer who had closed it before that, nothing tells but a read that finds the end.
    private var isNew = true
    private var hasRead = false
    /// Bytes to be read yet of a source whose name is gone; nil while it has its name.
    private var rest: Int?

    init(
        _ path: String, _ source: FileDescriptor, _ script: any SourceScript<Input>, _ wait: LoopWait,
        _ inbox: Mailbox<Input>, _ complain: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.source = source
        self.script = script
        self.wait = wait
        self.inbox = inbox
        self.complain = complain
    }

    /// False where it cannot be waited for.
    func begin() -> Bool {
        wait.heard = { [self] in read() }
        read()
        return source != nil
    }

    func end() {
        wait.cancel()
        wait.heard = {}
        try? source?.close()
        source = nil
    }

    /// One read, and then others have their turn: whether there is more, the next wait tells.
    private func read() {
        guard let source else { return }
        do throws(DeviceError) {
            guard let bytes = try VirtualTransport<Input>.read(source), !bytes.isEmpty || !isNew || hasRead
            else {
                // Somebody has it open, or nobody has yet.
                isNew = false
                return again()
            }
            (hasEnded, hasRead) = (bytes.isEmpty, true)
            left = (bytes.isEmpty ? script.end() : script.receive(bytes))[...]
            for sentence in script.takeComplaints() { complain(sentence) }
            goOn()
        } catch {
            fail(error)
        }
    }

    /// The name is gone. What was written by now is handed over, and no more: a writer that goes on is none of this attachment's.
    func unplug() {
        guard let source, rest == nil else { return }
        wait.cancel()
        var count: Int32 = 0
        rest = ioctl(source.rawValue, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
        goOn()
    }

    /// Hands over what there is room for; the source waits for the rest.
    func goOn() {
        guard source != nil else { return }
        repeat {
            while let input = left.first {
                switch inbox.offerAgain(input) {
                case .taken: left.removeFirst()
                case .full:
                    left = Array(left)[...]
                    return
                case .ended: return end()
                }
            }
            // A slice keeps what was taken off of it: reports of cards.
            left = []
        } while readRest()
        if rest != nil {
            fail(.gone)
        } else if hasEnded {
            isNew ? goOnWaiting() : reopen()
        } else if isNew, !isReadable {
            read()
        } else {
            again()
        }
    }

    /// False where the name is there, or nothing more is to be read behind it.
    private func readRest() -> Bool {
        guard let source, let rest, !hasEnded else { return false }
        let bytes = rest > 0 ? (try? VirtualTransport<Input>.read(source)) ?? [] : []
        self.rest = rest - bytes.count
        hasEnded = bytes.isEmpty
        left = (hasEnded ? script.end() : script.receive(bytes))[...]
        for sentence in script.takeComplaints() { complain(sentence) }
        return true
    }

    /// Waits for the next writer with what is open: nobody has opened it since we did.
    private func goOnWaiting() {
        (hasEnded, isNew) = (false, false)
        again()
    }

    private var isReadable: Bool {
        guard let source else { return false }
        var polled = pollfd(fd: source.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    /// A descriptor whose writer has closed polls as hung up for ever; a new one waits for the next. It is opened before the
    /// old one is closed, so that no writer finds nobody there.
    private func reopen() {
        (hasEnded, isNew, hasRead) = (false, true, false)
        do throws(DeviceError) {
            let next = try VirtualTransport<Input>.openSource(path)
            guard VirtualTransport<Input>.isFIFO(next) else {
                try? next.close()
                throw .gone
            }
            try? source?.close()
            source = next
            read()
        } catch {
            fail(error)
        }
    }

    private func again() {
        if let error = wait(for: source) { fail(error) }
    }

    private func wait(for source: FileDescriptor?) -> DeviceError? {
        guard let source else { return .closed }
        let code = wait.begin(source.rawValue)
        return code == 0 ? nil : .system(errno: code, operation: "io_submit")
    }

    private func fail(_ error: DeviceError) {
        inbox.finish(error)
        end()
    }
}
