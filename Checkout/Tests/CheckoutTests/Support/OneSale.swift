import CheckoutTesting
import Synchronization

@testable import Checkout

/// One sale at several doors.
enum OneSale {
    enum Journal: CaseIterable { case file, memory }
}
