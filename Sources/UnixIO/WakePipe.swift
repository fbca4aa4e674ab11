internal import Glibc

/// What ends another thread's `poll`: a pipe that becomes readable and stays so until it is drained.
///
/// The descriptors live as long as the object has an owner, so that a late `wake()` cannot hit a descriptor of the same
/// number that is another one's.
package final class WakePipe: Sendable {
    /// The kernel gave no pipe.
    package struct Failure: Error {
        package let errno: Int32
    }

    /// To poll: there is something to read from ``wake()`` on.
    package let readEnd: Int32
    private let writeEnd: Int32

    package init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(errno: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// A full pipe is a wake that has not been seen yet: nothing is lost.
    package func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    package func drain() {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { buffer in
            while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }
}
