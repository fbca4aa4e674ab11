/// The one place that holds the version.
package enum DaemonVersion {
    package static let current = "0.1.0"
}
