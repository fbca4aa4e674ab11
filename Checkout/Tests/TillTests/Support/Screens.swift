import CheckoutTesting
import Foundation
import Testing

/// Screens for a test.
enum Screens {
    static let needsDaemon = Comment(
        rawValue: "the daemon is not built: run 'swift build' in the package above")
}
