import ReaderKit
import SystemPackage

/// What ends another thread's `poll`: a pipe that becomes readable and stays so until it is drained.
///
/// The descriptors live as long as somebody holds the object, so that a late `wake()` cannot hit a stranger's
/// descriptor of the same number.
final class WakePipe: Sendable {
    let readEnd: FileDescriptor
    private let writeEnd: FileDescriptor

    init() throws(DeviceError) {
        do {
            (readEnd, writeEnd) = try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
        } catch {
            throw .system(errno: error.rawValue, operation: "pipe")
        }
    }

    deinit {
        try? readEnd.close()
        try? writeEnd.close()
    }

    /// A full pipe is a wake that has not been seen yet: nothing is lost.
    func wake() {
        _ = try? withUnsafeBytes(of: UInt8(1)) { try writeEnd.write($0) }
    }

    func drain() {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { buffer in
            while let count = try? readEnd.read(into: buffer), count == buffer.count {}
        }
    }
}
