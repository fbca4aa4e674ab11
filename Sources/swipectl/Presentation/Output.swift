import Glibc
import SwipeProtocol
import UnixIO

/// Where swipectl writes: results to standard output, everything else to standard error.
///
/// Straight to the descriptor, unbuffered: each event line of `watch` is then with its reader at once,
/// also when standard output is a pipe. A result that cannot be written ends the command: whoever calls a function that
/// writes one passes the failure on, and ``Main`` makes a status of it.
enum Output {
    /// Writes a piece of the result.
    static func result(_ text: String) throws(OutputFailure) {
        try write(text, to: STDOUT_FILENO)
    }

    /// Writes a value as one line of JSON.
    static func line(_ value: some JSONEncodable) throws(OutputFailure) {
        var writer = JSONWriter()
        value.write(to: &writer)
        try line(writer.finish())
    }

    /// Writes a line that was encoded before.
    static func line(_ line: EncodedLine) throws(OutputFailure) {
        try line.withBytes { (bytes) throws(OutputFailure) in try write(bytes, to: STDOUT_FILENO) }
    }

    /// Writes bytes as they are.
    static func bytes(_ bytes: [UInt8]) throws(OutputFailure) {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Writes a message for people, line by line without what would steer a terminal. Where that cannot be written, there is nobody
    /// to tell of it.
    static func error(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try? write(lines.map { String($0).printable }.joined(separator: "\n"), to: STDERR_FILENO)
    }

    /// A complaint, which is one line: what stands in it, the name of a file as well, may hold anything.
    static func complain(_ words: String) { error("swipectl: \(words.printable)\n") }

    private static func write(_ text: String, to descriptor: Int32) throws(OutputFailure) {
        try write(text.utf8, to: descriptor)
    }

    /// Writes bytes to standard output or to a file. Standard output may have been made non-blocking by another program
    /// that has it too: then there is room again some time.
    static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) throws(OutputFailure) {
        let code = Whole.write(bytes, to: descriptor, waiting: -1)
        guard code == 0 else { throw OutputFailure(code: code) }
    }
}
