import Foundation

/// Runs of swipectl against a daemon.
enum SwipectlRuns {
    static let swipectl = BuiltProgram.path("swipectl").path
}
