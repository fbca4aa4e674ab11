import CALSA
import Glibc
import ReaderKit

/// A running playback: waits for room, writes, recovers. Owned by one thread; silent once it is gone.
struct PlaybackStream: ~Copyable {
    /// Without room for so long, a card's driver is stuck.
    private static let stallMilliseconds: Int32 = 5_000
    /// Wake-ups in a row that bring no room and no error.
    private static let maximumIdleWakeups = 1_000
    /// Underruns in a row, without a period played between them.
    private static let maximumRecoveries = 100

    enum Wait { case room, nothing, woken }

    let format: CaptureFormat
    private let handle: PCMHandle
    private var polled: [pollfd]
    private var idleWakeups = 0
    private var recoveries = 0

    /// Opens and negotiates; the first period starts it.
    init(_ wanted: PlaybackConfiguration, wake: Int32) throws(DeviceError) {
        let handle = try PCMHandle(wanted.pcm, definition: wanted.definition, .playback)
        let format = try PCMNegotiation(handle, name: wanted.pcm).agree(wanted.request)
        let descriptors = try handle.descriptors()
        polled = descriptors + [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        self.format = format
        self.handle = handle
    }

    deinit {
        // What is in the card's buffer is not played any more; closing alone might let it.
        snd_pcm_drop(handle.pcm)
    }

    /// Blocks until there is room for a period, the card fails, or the wake descriptor is readable.
    mutating func wait() throws(DeviceError) -> Wait {
        if hasRoom() { return .room }
        let ready = poll(&polled, nfds_t(polled.count), Self.stallMilliseconds)
        if ready < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
            return .nothing
        }
        guard ready > 0 else { throw .timedOut }
        if polled[polled.count - 1].revents != 0 { return .woken }
        var events: UInt16 = 0
        snd_pcm_poll_descriptors_revents(handle.pcm, &polled, UInt32(polled.count - 1), &events)
        if handle.state == SND_PCM_STATE_DISCONNECTED { throw .gone }
        // An error is what a write will tell of.
        if events & UInt16(POLLERR) != 0 || hasRoom() { return .room }
        idleWakeups += 1
        guard idleWakeups < Self.maximumIdleWakeups else { throw .timedOut }
        return .nothing
    }

    private borrowing func hasRoom() -> Bool { snd_pcm_avail_update(handle.pcm) >= format.periodFrames }

    /// Writes frames, left and right in turn; for which there should be room.
    ///
    /// - Returns: how many times the card had had nothing to play.
    mutating func write(_ stereo: [Int16]) throws(DeviceError) -> Int {
        let bytes = format.format.pack(stereo, channels: format.channels)
        let frameBytes = format.format.bytesPerSample * format.channels
        let total = bytes.count / max(1, frameBytes)
        var written = 0
        var underruns = 0
        while written < total {
            let count = bytes.withUnsafeBytes { buffer in
                snd_pcm_writei(
                    handle.pcm, buffer.baseAddress?.advanced(by: written * frameBytes),
                    snd_pcm_uframes_t(total - written))
            }
            if count > 0 {
                written += count
                idleWakeups = 0
                recoveries = 0
            } else if count == -Int(EAGAIN) || count == 0 {
                // What has no room now is a tone's middle or silence: nothing is lost that a reader would miss, but a
                // burst is never split, since it is only written where a whole period has room.
                return underruns
            } else if count != -Int(EINTR) {
                try recover(Int32(clamping: count))
                underruns += 1
            }
        }
        return underruns
    }

    private mutating func recover(_ result: Int32) throws(DeviceError) {
        recoveries += 1
        guard recoveries < Self.maximumRecoveries else { throw .timedOut }
        switch PCMFault(result, handle.state) {
        case .overrun, .suspended:
            let prepared = snd_pcm_prepare(handle.pcm)
            guard prepared >= 0 else {
                throw PCMFault(prepared, handle.state).deviceError("snd_pcm_prepare")
            }
        case let fault: throw fault.deviceError("snd_pcm_writei")
        }
    }
}
