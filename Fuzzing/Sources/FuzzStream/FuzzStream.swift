import CardData
import HIDReaders
import ReaderKit

/// Text streams, Gen III messages and everything that captures may be written down as.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStream(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    for case .success(let found) in HIDCapture.outcomes(
        in: input, models: [.magTekStream, .gen3, .idTechKeyboard])
    {
        for track in found.swipe.tracks { _ = track.masked }
    }
    // Any byte as one that text may hold: so that streams are reached without finding them.
    _ = HIDCapture.outcomes(in: input.map { 0x20 + $0 % 0x5F }, models: [.magTekStream, .gen3])
    return 0
}
