import CALSA
import Glibc
import ReaderKit

/// What a negative result of libasound's means for a capture.
enum PCMFault: Hashable {
    case overrun, suspended, gone, stalled
    case other(Int32)

    /// Source for the codes: the ALSA PCM API, "Stream status", and the reference of snd_pcm_readi.
    init(_ result: Int32, _ state: snd_pcm_state_t) {
        if state == SND_PCM_STATE_DISCONNECTED {
            self = .gone
            return
        }
        switch -result {
        case EPIPE: self = .overrun
        case ESTRPIPE: self = .suspended
        case ENODEV, ENXIO, ESHUTDOWN, EBADF, ENOTTY: self = .gone
        case EIO: self = .stalled
        case let code: self = .other(code)
        }
    }

    func deviceError(_ operation: String) -> DeviceError {
        switch self {
        case .gone: .gone
        case .stalled: .timedOut
        case .overrun: .system(errno: EPIPE, operation: operation)
        case .suspended: .suspended
        case .other(let code): .system(errno: code, operation: operation)
        }
    }
}
