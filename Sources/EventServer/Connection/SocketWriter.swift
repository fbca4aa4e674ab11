internal import Glibc
internal import SwipeProtocol

/// Writes the front of a queue straight to a socket that does not block.
///
/// Why not `channel.write`: see docs/decisions/0301-lines-go-straight-to-the-socket.md. A line is shared by every connection of a view, in memory that is
/// wiped; here it goes from there to the kernel without a copy, a promise or a pass through the pipeline.
enum SocketWriter {
    enum Outcome: Equatable {
        /// The queue is empty.
        case drained
        /// The socket has no more room at the moment.
        case full
        /// The client is gone.
        case failed(errno: Int32)
    }

    /// The most lines in one system call.
    static let linesAtOnce = 64

    static func write(_ queue: inout OutboundQueue, to descriptor: Int32) -> Outcome {
        while !queue.isEmpty {
            let sent = send(queue, descriptor)
            if sent >= 0 {
                queue.advance(sent)
            } else if errno == EAGAIN {
                return .full
            } else if errno != EINTR {
                return .failed(errno: errno)
            }
        }
        return .drained
    }

    /// Makes room in the socket for a last line although the client has not read the ones before it.
    ///
    /// The kernel's limit is on what the client has not read; raised to the maximum that any program may ask for
    /// (`net.core.wmem_max`, 208 KiB by default, which the kernel doubles), it has room once more.
    static func makeRoom(in descriptor: Int32) {
        var size: Int32 = 1 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func send(_ queue: OutboundQueue, _ descriptor: Int32) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: linesAtOnce) { vectors in
            queue.withFrontLines(maximum: linesAtOnce) { index, bytes in
                // The kernel only reads; iovec knows no constness.
                let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                vectors.initializeElement(at: index, to: iovec(iov_base: base, iov_len: bytes.count))
            } then: { count in
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = count
                return sendmsg(descriptor, &message, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
        }
    }
}
