import Captures
import CardData
import ReaderKit

/// Captures in all the forms in which people write bytes down.
///
///     first byte   the form; 0: the form is guessed, and what it holds is read
///     the rest     the capture
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCapture(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first else { return 0 }
    let capture = Array(input.dropFirst())
    let forms = CaptureForm.allCases
    let index = Int(choice) % (2 * forms.count)
    if index == 0 || forms[index % forms.count] == .packetCapture {
        for case .success(let found) in HIDCapture.outcomes(in: capture) {
            for track in found.swipe.tracks { _ = track.masked }
        }
    } else {
        _ = HIDCapture.parts(of: capture, as: forms[index % forms.count])
    }
    return 0
}
