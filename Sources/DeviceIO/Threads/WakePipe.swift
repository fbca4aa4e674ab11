import ReaderKit
import UnixIO

extension WakePipe {
    /// A pipe for a thread of ours.
    static func made() throws(DeviceError) -> WakePipe {
        do throws(Failure) { return try WakePipe() } catch {
            throw .system(errno: error.errno, operation: "pipe")
        }
    }
}
