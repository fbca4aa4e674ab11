import Checkout
import CheckoutHTTP
import CheckoutTesting
import Foundation
import Synchronization

/// A service behind faults, and what a sale at it came to.
enum FaultyServices {
    /// Of a proxy's pages those with the statuses that say most; the others are in a test of their own.
    static let faults = WireFault.all.filter { fault in
        switch fault {
        case .foreignAfter(let status), .foreignBefore(let status): [200, 402, 422, 503].contains(status)
        case .lostRequest, .stalledRequest, .lostAnswer, .lateRequest, .lateAnswer, .duplicate,
            .lateDuplicate,
            .truncation, .stalledHead, .stalledBody, .tricklingBody, .resetAtOnce, .resetBefore, .resetAfter,
            .resetInAnswer, .anothersAnswer, .hints, .tooLong, .unzipped, .trailers:
            true
        }
    }
}
