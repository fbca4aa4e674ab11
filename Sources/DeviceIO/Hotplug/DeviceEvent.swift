package import ReaderKit

/// What came, what went. Every `added` is followed by one `removed` of the same syspath before the next `added`
/// of it.
package enum DeviceEvent: Sendable, Hashable {
    case added(DeviceIdentity)
    /// By syspath alone: on removal the parents of a device are half gone or show the root hub.
    case removed(syspath: String)
    /// Everything that was there at the start, or at a ``HotplugMonitor/rescan()``, has been told.
    case scanned
}
