internal import SwipeProtocol

/// Cuts what the daemon sends into lines.
struct LineBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    mutating func append(_ chunk: ArraySlice<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: chunk)
    }

    /// The next whole line; nil when more bytes are needed.
    mutating func next() throws(SwipeClientError) -> [UInt8]? {
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count - start <= ProtocolLimits.lineOut else {
                throw SwipeClientError(.protocolError, "a line is longer than the protocol allows")
            }
            return nil
        }
        defer { start = end + 1 }
        return Array(bytes[start..<end])
    }
}
