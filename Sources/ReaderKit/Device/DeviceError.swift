/// What can go wrong between a transport and a device. Each case names what the caller can do.
package enum DeviceError: Error, Sendable, Hashable {
    /// The device is not there any more: end the session. Replugging makes a new one.
    case gone
    /// The kernel refused access: an operator must fix a rule or a group; `detail` names which.
    case permissionDenied(detail: String)
    /// Another program has the device: try again later.
    case busy(detail: String)
    /// The device did not answer in time: retry or reset.
    case timedOut
    /// The device refused the request (a USB stall): the command is not for this model.
    case refused
    /// It slept with the machine, and what it was doing ended with that: open it again.
    case suspended
    /// The transport was closed on our side.
    case closed
    /// The device offers nothing that we can use (no rate, no format): `detail` says what was asked.
    case unsupported(detail: String)
    /// The playback volume is below what the reader needs, and cannot be raised.
    case volumeTooLow
    /// The sound card does not play: `detail` says what was asked.
    case playbackMissing(detail: String)
    /// The sound card has no playback volume that could be set.
    case mixerMissing(detail: String)
    /// Anything else that the kernel said.
    case system(errno: Int32, operation: String)
}
