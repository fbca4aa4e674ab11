/// Kernel subsystems: those that readers appear in, the one of input switches, and the one whose messages tell of serial lines.
package enum DeviceSubsystem: String, Sendable, CaseIterable {
    case hidraw
    case sound
    case input
    case tty
}
