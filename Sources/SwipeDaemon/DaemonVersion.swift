import SwipeProtocol

/// What the daemon says that it is.
package enum DaemonVersion {
    package static let current = PackageVersion.current
}
