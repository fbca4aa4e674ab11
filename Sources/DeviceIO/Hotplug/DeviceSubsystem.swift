/// Kernel subsystems: those that readers appear in, and the one of input switches.
package enum DeviceSubsystem: String, Sendable, CaseIterable {
    case hidraw
    case sound
    case input
}
