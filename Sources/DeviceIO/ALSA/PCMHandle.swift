import CALSA
import Glibc
import ReaderKit

/// One open ALSA PCM. Used by one thread.
struct PCMHandle: ~Copyable {
    let pcm: OpaquePointer

    /// Opens for capture, without waiting for whoever else may have the device.
    init(_ configuration: CaptureConfiguration) throws(DeviceError) {
        ALSALibrary.silence
        let mode = Int32(SND_PCM_NONBLOCK) | Int32(SND_PCM_NO_AUTO_RESAMPLE) | Int32(SND_PCM_NO_AUTO_CHANNELS)
        var pcm: OpaquePointer?
        let result: Int32
        if let definition = configuration.definition {
            let tree = try ConfigurationTree(definition)
            result = snd_pcm_open_lconf(&pcm, configuration.pcm, SND_PCM_STREAM_CAPTURE, mode, tree.root)
        } else {
            result = snd_pcm_open(&pcm, configuration.pcm, SND_PCM_STREAM_CAPTURE, mode)
        }
        guard result >= 0, let pcm else { throw Self.openError(result, configuration.pcm) }
        self.pcm = pcm
    }

    deinit { snd_pcm_close(pcm) }

    var state: snd_pcm_state_t { snd_pcm_state(pcm) }

    borrowing func start() throws(DeviceError) {
        let result = snd_pcm_start(pcm)
        guard result >= 0 else { throw PCMFault(result, state).deviceError("snd_pcm_start") }
    }

    private static func openError(_ result: Int32, _ name: String) -> DeviceError {
        switch -result {
        case EACCES, EPERM:
            .permissionDenied(
                detail: "\(name): udev gives sound devices to the group audio; is the daemon in it?")
        case EBUSY, EAGAIN: .busy(detail: name)
        case ENOENT, ENODEV, ENXIO: .gone
        case EINVAL: .unsupported(detail: "\(name): not defined, or not for capture")
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
