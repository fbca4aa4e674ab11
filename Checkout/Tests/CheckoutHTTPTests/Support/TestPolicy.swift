import Checkout

extension PaymentPolicy {
    /// Patience of milliseconds: the services answer at once.
    static let ofTests = PaymentPolicy(
        firstPoll: .milliseconds(3), longestPause: .milliseconds(20), pollTimeout: .seconds(2),
        redirectTimeout: .milliseconds(400), othersTimeout: .seconds(2))
}
