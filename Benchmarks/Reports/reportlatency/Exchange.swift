internal import Glibc
internal import LoadMeasures

/// One report in, one line out.
struct Exchange {
    var microseconds: UInt64
    /// How long the line was.
    var bytes: Int
}

/// Writes the report and reads lines until one is the one awaited. The time is taken as soon as it is there whole, before
/// anybody looks at it.
func exchange(_ report: [UInt8], _ source: Int32, _ client: Int32, until awaited: (ArraySlice<UInt8>) -> Bool)
    throws(Failure) -> Exchange
{
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let start = Clock.now()
    guard report.withUnsafeBytes({ write(source, $0.baseAddress, $0.count) }) == report.count else {
        throw Failure(what: "write: \(errno)")
    }
    var held = 0
    while true {
        let count = buffer.withUnsafeMutableBytes { bytes in
            read(client, bytes.baseAddress.map { $0 + held }, bytes.count - held)
        }
        let time = Clock.now() - start
        guard count > 0 else { throw Failure(what: "the client was closed") }
        held += count
        guard buffer[held - 1] == UInt8(ascii: "\n") else { continue }
        let lines = buffer[..<held].split(separator: UInt8(ascii: "\n"))
        if let line = lines.last(where: awaited) {
            return Exchange(microseconds: time / 1_000, bytes: line.count + 1)
        }
        held = 0
    }
}

extension Histogram {
    var summary: String {
        "p50 \(percentile(0.5)), p90 \(percentile(0.9)), p99 \(percentile(0.99)), most \(maximum)"
    }
}

/// The report of a vector as one line, without its comments.
func hexLine(of path: String) throws(Failure) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure(what: "cannot read \(path)") }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &buffer, buffer.count)
    let lines = buffer.prefix(max(0, count)).split(separator: UInt8(ascii: "\n"))
    return lines.filter { $0.first != UInt8(ascii: "#") }.flatMap { $0 } + [UInt8(ascii: "\n")]
}
