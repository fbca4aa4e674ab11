import SwipeProtocol

/// Lines, as a client and as the daemon would read them. A request that is taken must survive being written and read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLine(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let line = Array(UnsafeBufferPointer(start: data, count: size))
    guard line.count <= ProtocolLimits.lineIn else { return 0 }
    _ = try? ServerMessage(line: line)
    guard let request = try? Request(line: line) else { return 0 }
    var written = request.line().withBytes { Array($0) }
    written.removeLast()
    precondition((try? Request(line: written)) == request, "a request changes when it is written")
    return 0
}
