import CheckoutTesting
import Foundation
import Synchronization

/// Keys that come in one read.
enum Typing {
    static let widths = [20, 40, 80, 132]
}
