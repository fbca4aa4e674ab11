import ReaderKit
import ServiceSupport

/// The text for an operator about a device that cannot be used: what happened, where, and what to do.
enum DeviceComplaint {
    static func words(for error: DeviceError, _ device: DeviceIdentity) -> String {
        switch error {
        case .gone:
            "\(device.node) is not there for the daemon, though it is plugged in; does its unit allow the device "
                + "(DeviceAllow), and was the driver loaded when it started? systemctl restart swiped"
        case .permissionDenied(let detail): "permission denied: \(detail)"
        case .busy(let detail): "\(device.node) is in use: \(detail)"
        case .timedOut: "\(device.node) does not answer; unplug the reader and plug it in again"
        case .refused: "\(device.node) refuses the request; is the reader of a supported model?"
        case .suspended: "\(device.node) was suspended and does not answer yet"
        case .closed: "\(device.node) was closed"
        case .unsupported(let detail): "\(device.node) offers nothing usable: \(detail)"
        case .volumeTooLow:
            "the playback volume of \(device.node) is below what the reader needs and cannot be raised; is another "
                + "program holding it down?"
        case .playbackMissing(let detail): "\(device.node) cannot play: \(detail)"
        case .mixerMissing(let detail): "\(device.node) has no volume that could be set: \(detail)"
        case .system(let code, let operation):
            "\(operation) on \(device.node) failed: \(ErrorNumber.words(code))"
        }
    }
}
