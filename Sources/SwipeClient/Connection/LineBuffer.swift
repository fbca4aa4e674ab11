internal import SwipeProtocol

/// Cuts what the daemon sends into lines.
struct LineBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    mutating func append(_ chunk: ArraySlice<UInt8>) {
        forget()
        bytes.append(contentsOf: chunk)
    }

    /// Lets go of the lines that were taken, which may show a card: in an array that is only shifted they would stay behind its end.
    private mutating func forget() {
        guard start > 0 else { return }
        bytes = Array(bytes[start...])
        start = 0
    }

    /// The next whole line; nil when more bytes are needed.
    mutating func next() throws(SwipeClientError) -> [UInt8]? {
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count - start <= ProtocolLimits.lineOut else {
                throw SwipeClientError(.protocolError, "a line is longer than the protocol allows")
            }
            return nil
        }
        defer {
            start = end + 1
            if start == bytes.count { forget() }
        }
        return Array(bytes[start..<end])
    }
}
