/// The kernel subsystems that readers appear in.
package enum DeviceSubsystem: String, Sendable, CaseIterable {
    case hidraw
    case sound
}
