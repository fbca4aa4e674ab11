import CardData
import Checkout
import StateMachine
import Synchronization

/// Payments for a test.
enum Payments {
    static let impatient = PaymentPolicy(
        firstPoll: .milliseconds(1), longestPause: .milliseconds(2), pollTimeout: .milliseconds(20),
        redirectTimeout: .milliseconds(20))

    /// For payments that come to an end by themselves, however busy the machine is.
    static let patient = PaymentPolicy(
        firstPoll: .milliseconds(1), longestPause: .milliseconds(2), pollTimeout: .seconds(60),
        redirectTimeout: .seconds(60))

    static func payment(_ gateway: ScriptedGateway, _ policy: PaymentPolicy = patient) throws -> Payment {
        Payment(ScriptedGateway.transaction("Shoes", try euros(440)), gateway: gateway, policy: policy)
    }

    static let lost = GatewayError(.connectionLost, .unknown)

    static let consumed = PaymentSource.Status.consumed(ScriptedGateway.charge)
}
