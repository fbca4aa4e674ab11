import DeviceIO
import Glibc
import NIOPosix
import SwipeProtocol
import UnixIO

/// Plugs, swipes and pulls out virtual readers for an administrator, through their sources.
struct Simulator: Sendable {
    let isAllowed: Bool
    let devices: DeviceWatch

    /// Long enough for the sound of a swipe in real time; a source that is not read must not keep a thread.
    static let patienceMilliseconds: Int32 = 5000
    private static let pauseMicroseconds: UInt32 = 20_000

    func perform(_ action: SimulatedAction, reader: String?) async -> Result<ControlResult, ErrorReply> {
        guard isAllowed else {
            return .failure(ErrorReply(.simulateDisabled, "this daemon runs without --allow-simulate"))
        }
        guard let reader, let (virtual, terms) = await devices.virtualReader(named: reader) else {
            return .failure(ErrorReply(.readerUnknown, "no virtual reader of that name is configured"))
        }
        switch action.kind {
        case .connect: return connect(virtual.source)
        case .disconnect: return disconnect(virtual.source)
        case .swipe: return await swipe(action.card, virtual.source, terms)
        }
    }

    private func connect(_ source: String) -> Result<ControlResult, ErrorReply> {
        guard mkfifo(source, 0o600) == 0 || errno == EEXIST else {
            return .failure(ErrorReply(.readerFailed, "cannot make \(source): error \(errno)"))
        }
        return isPipe(source) != false ? .success(.taken()) : notAPipe(source)
    }

    /// Whether a pipe is there; nil where nothing is.
    private func isPipe(_ source: String) -> Bool? {
        var status = stat()
        return lstat(source, &status) == 0 ? status.st_mode & S_IFMT == S_IFIFO : nil
    }

    private func notAPipe(_ source: String) -> Result<ControlResult, ErrorReply> {
        .failure(ErrorReply(.readerFailed, "\(source) exists and is not a named pipe; move it away"))
    }

    private func disconnect(_ source: String) -> Result<ControlResult, ErrorReply> {
        guard isPipe(source) != false else { return notAPipe(source) }
        guard unlink(source) == 0 || errno == ENOENT else {
            return .failure(ErrorReply(.readerFailed, "cannot remove \(source): error \(errno)"))
        }
        return .success(.taken())
    }

    private func swipe(
        _ name: String?, _ source: String, _ terms: SimulatedInput.Terms
    ) async -> Result<ControlResult, ErrorReply> {
        guard let card = SimulatedCard.named(name) else {
            let names = SimulatedCard.all.map(\.name).joined(separator: ", ")
            return .failure(ErrorReply(.parameterInvalid, "no such test card; there are: \(names)"))
        }
        guard let bytes = SimulatedInput.bytes(of: card, as: terms) else {
            let why = "no swipe can be made for this reader's model; write its bytes to \(source)"
            return .failure(ErrorReply(.readerUnsupported, why))
        }
        // A pipe holds less than a swipe sounds: the writer waits for the reader, on a thread that may wait.
        let written = try? await NIOThreadPool.singleton.runIfActive { Self.write(bytes, to: source) }
        guard written == true else {
            return .failure(ErrorReply(.readerInactive, "the reader is not plugged in, or does not listen"))
        }
        return .success(.swiped(card: card.name))
    }

    private static func write(_ bytes: [UInt8], to source: String) -> Bool {
        let descriptor = openOnceRead(source)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Whole.write(bytes, to: descriptor, waiting: patienceMilliseconds) == 0
    }

    /// A reader that was plugged in just now is opened by the daemon a moment later: until then nobody reads the pipe (ENXIO).
    private static func openOnceRead(_ source: String) -> Int32 {
        let end = ContinuousClock.now + .milliseconds(Int(patienceMilliseconds))
        while true {
            let descriptor = open(source, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor < 0, errno == ENXIO, ContinuousClock.now < end else { return descriptor }
            usleep(pauseMicroseconds)
        }
    }
}
