import CALSA
import Glibc
import ReaderKit

/// A running capture: waits, reads, recovers. Owned by one thread.
struct CaptureStream: ~Copyable {
    /// Without a frame for so long, a card's driver is stuck: opening it again is what helps.
    private static let stallMilliseconds: Int32 = 5_000
    /// Wake-ups in a row that bring neither a frame nor an error; a spinning thread would be worse than none.
    private static let maximumIdleWakeups = 1_000
    /// The longest block: what piled up comes in several.
    private static let periodsPerBlock = 2

    enum Outcome {
        case samples(SampleBlock)
        case nothing
        case woken
    }

    let format: CaptureFormat
    private let handle: PCMHandle
    private let heads: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var polled: [pollfd]
    private var position: UInt64 = 0
    private var overruns = 0
    private var idleWakeups = 0
    private var lastRead = ContinuousClock.now

    /// Opens, negotiates, starts.
    init(_ wanted: CaptureConfiguration, wake: Int32) throws(DeviceError) {
        let handle = try PCMHandle(wanted.pcm, definition: wanted.definition, .capture)
        let format = try PCMNegotiation(handle, name: wanted.pcm).agree(wanted.request)
        let descriptors = try handle.descriptors()
        try handle.start()
        let frameBytes = format.format.bytesPerSample * format.channels
        buffer = .allocate(byteCount: frameBytes * format.periodFrames * Self.periodsPerBlock, alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        polled = descriptors + [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        heads = max(1, wanted.heads)
        self.format = format
        self.handle = handle
    }

    deinit {
        // It held a card.
        if let bytes = buffer.baseAddress { explicit_bzero(bytes, buffer.count) }
        buffer.deallocate()
    }

    /// Blocks until a period is there, the card fails, or the wake descriptor is readable.
    mutating func next() throws(DeviceError) -> Outcome {
        let ready = poll(&polled, nfds_t(polled.count), Self.stallMilliseconds)
        if ready < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
            return .nothing
        }
        guard ready > 0 else { throw .timedOut }
        if polled[polled.count - 1].revents != 0 { return .woken }
        // Plugins acknowledge their timers here, so it is called even though reading alone tells what happened.
        var events: UInt16 = 0
        snd_pcm_poll_descriptors_revents(handle.pcm, &polled, UInt32(polled.count - 1), &events)
        return try read()
    }

    private mutating func read() throws(DeviceError) -> Outcome {
        let frames = snd_pcm_uframes_t(format.periodFrames * Self.periodsPerBlock)
        let count = snd_pcm_readi(handle.pcm, buffer.baseAddress, frames)
        if count > 0 { return .samples(block(count)) }
        guard count < 0, count != -Int(EAGAIN), count != -Int(EINTR) else { return try idle() }
        switch PCMFault(Int32(clamping: count), handle.state) {
        case .overrun: try recover()
        // Also where the card could resume: a reader that lives on its tone has lost its power meanwhile.
        case let fault: throw fault.deviceError("snd_pcm_readi")
        }
        return .nothing
    }

    private mutating func idle() throws(DeviceError) -> Outcome {
        if handle.state == SND_PCM_STATE_DISCONNECTED { throw .gone }
        idleWakeups += 1
        guard idleWakeups < Self.maximumIdleWakeups else { throw .timedOut }
        return .nothing
    }

    private mutating func block(_ count: Int) -> SampleBlock {
        let frames = UnsafeRawBufferPointer(buffer), channels = format.channels
        let samples = format.format.extract(count, from: frames, channels: channels, channel: 0)
        let others = (1..<heads).map { head in
            format.format.extract(count, from: frames, channels: channels, channel: head)
        }
        defer { position &+= UInt64(count) }
        idleWakeups = 0
        lastRead = .now
        return SampleBlock(
            samples: samples, otherHeads: others, sampleRate: format.sampleRate, firstFrame: position,
            overruns: overruns)
    }

    /// What was in the card is lost, at least its whole buffer: the position jumps by what the clock says.
    private mutating func recover() throws(DeviceError) {
        overruns += 1
        let silence = ContinuousClock.now - lastRead
        let elapsed = Int(Double(silence.alsaMicroseconds) * Double(format.sampleRate) / 1_000_000)
        position &+= UInt64(max(elapsed, format.bufferFrames))
        lastRead = .now
        let result = snd_pcm_prepare(handle.pcm)
        guard result >= 0 else { throw PCMFault(result, handle.state).deviceError("snd_pcm_prepare") }
        try handle.start()
    }
}
