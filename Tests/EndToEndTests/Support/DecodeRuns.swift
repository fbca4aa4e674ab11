import Foundation
import WaveformSynthesis

/// Runs of swipectl decode.
enum DecodeRuns {
    static let swipectl = BuiltProgram.path("swipectl").path
}
