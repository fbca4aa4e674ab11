import CardData
import Checkout
import CheckoutTesting
import Foundation
import NIOCore
import SwipeClient
import Synchronization
import Testing

@testable import CheckoutHTTP

/// Sales by the documented form of an API, and what they came to.
enum StripeSales {
    static func euros(_ cents: Int, _ currency: Currency = .eur) throws -> Money {
        try #require(Money(minorUnits: cents, currency: currency))
    }

    static func charge(_ state: PaymentState) throws -> Charge {
        guard case .success(let charge) = state else { throw TestFailure("not paid: \(state)") }
        return charge
    }
}
