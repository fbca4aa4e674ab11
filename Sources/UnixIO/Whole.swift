internal import Glibc

/// Writing to the end: the kernel may accept a part, or be interrupted.
package enum Whole {
    /// Writes all of it.
    ///
    /// - Parameter milliseconds: how long to wait for room where the descriptor does not block; -1 for ever.
    /// - Returns: 0, or the number of the error.
    package static func write(
        _ bytes: some Collection<UInt8>, to descriptor: Int32, waiting milliseconds: Int32 = 0
    ) -> Int32 {
        all(of: bytes, descriptor, milliseconds) { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Sends all of it, without a signal where the other end is gone; see ``write(_:to:waiting:)``.
    package static func send(
        _ bytes: some Collection<UInt8>, to descriptor: Int32, waiting milliseconds: Int32 = 0
    ) -> Int32 {
        all(of: bytes, descriptor, milliseconds) {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    private static func all(
        of bytes: some Collection<UInt8>, _ descriptor: Int32, _ milliseconds: Int32,
        _ put: (UnsafeRawBufferPointer) -> Int
    ) -> Int32 {
        let code = bytes.withContiguousStorageIfAvailable { bytes -> Int32 in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = put(UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    let number = errno
                    guard number == EAGAIN, hasRoom(descriptor, milliseconds) else { return number }
                }
            }
            return 0
        }
        return code ?? all(of: Array(bytes), descriptor, milliseconds, put)
    }

    private static func hasRoom(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
        guard milliseconds != 0 else { return false }
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&polled, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
