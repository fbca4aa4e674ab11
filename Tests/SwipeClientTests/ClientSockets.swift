import Foundation
import UnixIO

/// The sockets of this process that are connected to that path: the clients' ends. Other tests may have thousands of them.
func clientSockets(to path: String) -> [Int32] {
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return open.compactMap { Int32($0) }.filter { descriptor in
        UnixAddress.path { getpeername(descriptor, $0, $1) } == path
    }
}

/// Breaks the clients' connections off, as a fault would.
func cutConnections(to path: String) {
    for descriptor in clientSockets(to: path) { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// How many bytes a client has not read.
func unreadBytes(_ descriptor: Int32) -> Int32 {
    var count: Int32 = 0
    _ = ioctl(descriptor, UInt(FIONREAD), &count)
    return count
}

/// Something that a thread can be made to wait for.
final class Gate: Sendable {
    private let ends: (reader: Int32, writer: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        self.ends = (ends[0], ends[1])
    }

    deinit {
        close(ends.reader)
        close(ends.writer)
    }

    func wait() {
        var byte: UInt8 = 0
        _ = read(ends.reader, &byte, 1)
    }

    func open() {
        var byte: UInt8 = 1
        _ = write(ends.writer, &byte, 1)
    }
}
