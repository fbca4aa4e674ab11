package import ReaderKit
import SystemPackage

/// A sound card's capture through libasound, on a thread of its own that copies and counts and decodes nothing.
package final class CaptureTransport: ReaderTransport {
    /// Blocks that wait for the session; more are dropped and counted: old sound is of no use to a swipe.
    private static let queuedBlocks = 64

    private let inbox = Mailbox<SampleBlock>(capacity: CaptureTransport.queuedBlocks)
    private let wakePipe: WakePipe
    private let ended = Latch()
    private let negotiated = Guarded<CaptureFormat?>(nil)

    private typealias Opened = CheckedContinuation<Result<Void, DeviceError>, Never>

    /// Opens and starts the capture, off the caller's executor.
    package static func open(
        _ configuration: CaptureConfiguration, volume: VolumeConfiguration? = nil
    ) async throws(DeviceError) -> CaptureTransport {
        let transport = try CaptureTransport()
        let result = await withCheckedContinuation { (opened: Opened) in
            do throws(DeviceError) {
                try DeviceThread.start("swiped-capture") { transport.run(configuration, volume, opened, $0) }
            } catch {
                opened.resume(returning: .failure(error))
            }
        }
        try result.get()
        return transport
    }

    private init() throws(DeviceError) { wakePipe = try WakePipe() }

    /// What was agreed on; for `status`.
    package var format: CaptureFormat? { negotiated.change { $0 } }

    package func receive() async throws(DeviceError) -> SampleBlock { try await inbox.next() }

    /// A sound card takes no commands: what an audio reader is told goes out as sound.
    package func send(_ command: TransportCommand) async throws(DeviceError) { throw .refused }

    package func close() async {
        inbox.close()
        wakePipe.wake()
        await ended.wait()
    }

    /// The same card failed elsewhere: the capture ends with this error.
    func fail(_ error: DeviceError) {
        inbox.finish(error)
        wakePipe.wake()
    }

    private func run(
        _ configuration: CaptureConfiguration, _ volume: VolumeConfiguration?, _ opened: Opened,
        _ pulse: ThreadPulse
    ) {
        defer { ended.open() }
        do throws(DeviceError) {
            var stream = try CaptureStream(configuration, wake: wakePipe.readEnd.rawValue)
            let format = stream.format
            negotiated.change { $0 = format }
            opened.resume(returning: .success(()))
            capture(&stream, VolumeGauge(volume), pulse)
        } catch {
            opened.resume(returning: .failure(error))
        }
    }

    private func capture(
        _ stream: inout CaptureStream, _ gauge: consuming VolumeGauge?, _ pulse: ThreadPulse
    ) {
        var dropped = 0
        do throws(DeviceError) {
            while true {
                pulse.beat()
                switch try stream.next() {
                case .samples(var block):
                    block.overruns += dropped
                    block.playbackVolume = gauge?.percent()
                    if !inbox.offer(block) { dropped += 1 }
                case .nothing: continue
                case .woken: return
                }
            }
        } catch {
            inbox.finish(error)
        }
    }
}
