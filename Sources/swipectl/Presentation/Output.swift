import Glibc
import SwipeProtocol

/// Where swipectl writes: results to standard output, everything else to standard error.
///
/// Straight to the descriptor, unbuffered: each event line of `watch` is then with its reader at once,
/// also when standard output is a pipe.
enum Output {
    /// Writes a piece of the result.
    static func result(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    /// Writes a value as one line of JSON.
    static func line(_ value: some JSONEncodable) {
        var writer = JSONWriter()
        value.write(to: &writer)
        line(writer.finish())
    }

    /// Writes a line that was encoded before.
    static func line(_ line: EncodedLine) {
        line.withBytes { write($0, to: STDOUT_FILENO) }
    }

    /// Writes bytes as they are.
    static func bytes(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0, to: STDOUT_FILENO) }
    }

    /// Writes a message for people.
    static func error(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Writes all of it; whoever closed the other end is not an error of ours. Standard output may have been made
    /// non-blocking by another program that has it too: then there is room again some time.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let written = Glibc.write(descriptor, piece.baseAddress, piece.count)
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                waitForRoom(descriptor)
            } else if errno != EINTR {
                return
            }
        }
    }

    private static func waitForRoom(_ descriptor: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&polled, 1, -1) < 0, errno == EINTR {}
    }
}
