import Captures
import CardData
import ReaderKit

/// Text streams, Gen III messages and typed packets.
///
///     first byte   bit 0: the rest is folded into printable text, so that streams are reached without finding them
///     the rest     the capture
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStream(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first else { return 0 }
    let capture = input.dropFirst().map { choice & 1 == 0 ? $0 : 0x20 + $0 % 0x5F }
    for case .success(let found) in HIDCapture.streams(in: capture) {
        for track in found.swipe.tracks { _ = track.masked }
    }
    return 0
}
