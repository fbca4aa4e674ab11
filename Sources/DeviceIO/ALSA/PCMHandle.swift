import CALSA
import Glibc
import ReaderKit

/// One open ALSA PCM. Used by one thread.
struct PCMHandle: ~Copyable {
    let pcm: OpaquePointer

    enum Direction: String { case capture, playback }

    /// Opens without waiting for whoever else may have the device.
    init(_ name: String, definition: String?, _ direction: Direction) throws(DeviceError) {
        ALSALibrary.silence
        let mode = Int32(SND_PCM_NONBLOCK) | Int32(SND_PCM_NO_AUTO_RESAMPLE) | Int32(SND_PCM_NO_AUTO_CHANNELS)
        var pcm: OpaquePointer?
        let result: Int32
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        if let definition {
            let tree = try ConfigurationTree(definition)
            result = snd_pcm_open_lconf(&pcm, name, stream, mode, tree.root)
        } else {
            result = snd_pcm_open(&pcm, name, stream, mode)
        }
        guard result >= 0, let pcm else { throw Self.openError(result, name, direction) }
        self.pcm = pcm
    }

    deinit { snd_pcm_close(pcm) }

    var state: snd_pcm_state_t { snd_pcm_state(pcm) }

    borrowing func start() throws(DeviceError) {
        let result = snd_pcm_start(pcm)
        guard result >= 0 else { throw PCMFault(result, state).deviceError("snd_pcm_start") }
    }

    /// What there is to poll for this stream.
    borrowing func descriptors() throws(DeviceError) -> [pollfd] {
        let count = snd_pcm_poll_descriptors_count(pcm)
        guard count > 0 else { throw .unsupported(detail: "the PCM has nothing to poll") }
        var descriptors = [pollfd](repeating: pollfd(fd: -1, events: 0, revents: 0), count: Int(count))
        let filled = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
        guard filled == count else { throw .system(errno: -filled, operation: "snd_pcm_poll_descriptors") }
        return descriptors
    }

    private static func openError(_ result: Int32, _ name: String, _ direction: Direction) -> DeviceError {
        switch -result {
        case EACCES, EPERM:
            .permissionDenied(
                detail: "\(name): udev gives sound devices to the group audio; is the daemon in it?")
        case EBUSY, EAGAIN: .busy(detail: name)
        // A card without an output has no such device node; that it is gone is for its capture to notice.
        case let code where direction == .playback && [ENOENT, ENXIO, EINVAL].contains(code):
            .playbackMissing(detail: "\(name): not defined, or not for playback")
        case ENOENT, ENODEV, ENXIO: .gone
        case EINVAL: .unsupported(detail: "\(name): not defined, or not for \(direction)")
        case let code: .system(errno: code, operation: "snd_pcm_open")
        }
    }
}

/// ALSA configuration in memory: an open needs no file, and no environment variable that others would see.
struct ConfigurationTree: ~Copyable {
    let root: OpaquePointer

    init(_ text: String) throws(DeviceError) {
        var root: OpaquePointer?
        let result = snd_config_load_string(&root, text, text.utf8.count)
        guard result >= 0, let root else {
            throw .unsupported(detail: "the sound card's definition is not ALSA configuration")
        }
        self.root = root
    }

    deinit { snd_config_delete(root) }
}
