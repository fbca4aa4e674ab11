import CardData
import Synchronization

@testable import Checkout

/// A payment machine with what it needs, and what happened at it.
enum Machines {
    static var options: PaymentMachineOptions {
        PaymentMachineOptions(
            currency: .eur, today: november2026, policy: Payments.patient, journal: MemoryJournal())
    }

    static func machine(
        _ gateway: ScriptedGateway = ScriptedGateway(), _ policy: PaymentPolicy = Payments.patient
    ) -> PaymentMachine {
        var options = options
        options.policy = policy
        return PaymentMachine(publicKey: "pkey_0d4502a9bf8430ae", gateway: gateway, options: options)
    }

    /// A machine that has begun, and the screen that listens to it.
    static func begun(
        _ gateway: ScriptedGateway, _ policy: PaymentPolicy = Payments.patient
    ) async throws -> (PaymentMachine, Screen) {
        let machine = machine(gateway, policy)
        let screen = Screen()
        machine.delegate = screen
        try await machine.begin(item: "Shoes", amountInCents: 440)
        return (machine, screen)
    }

    static func fill(_ machine: PaymentMachine, _ number: String = "4111111111111111") {
        machine.edit(.cardNumber) { $0.type(number) }
        machine.edit(.expiry) { $0.type("1230") }
        machine.edit(.cvv) { $0.type("123") }
    }

    static let approving = ScriptedGateway.Script(authorised: Payments.consumed)
}
