import Checkout
import Synchronization

@testable import CheckoutHTTP

/// One service by two ways, the first until it is switched; by another name where one is given: tests reach it through a proxy,
/// or not.
final class Switched: PaymentGateway {
    private let first: any PaymentGateway
    private let second: any PaymentGateway
    let service: String
    let isSwitched = Atomic(false)
    private var way: any PaymentGateway { isSwitched.load(ordering: .relaxed) ? second : first }

    init(
        _ first: any PaymentGateway, _ second: (any PaymentGateway)? = nil, as service: String? = nil
    ) {
        self.first = first
        self.second = second ?? first
        self.service = service ?? first.service
    }

    var holdsWithSource: Bool { way.holdsWithSource }
    var keyLifetime: Duration? { way.keyLifetime }

    func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction { try await way.openTransaction(request, key: key) }

    func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction {
        try await way.transaction(id, with: key)
    }

    func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        try await way.createSource(params, in: transaction, key: key)
    }

    func authorise(
        _ permit: AuthorisationPermit, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource { try await way.authorise(permit, in: transaction) }

    func source(_ id: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource {
        try await way.source(id, in: transaction)
    }

    func cancel(_ source: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource {
        try await way.cancel(source, in: transaction)
    }

    func record(of charge: ChargeID, with key: APIKey) async throws(GatewayError) -> ChargeRecord {
        try await way.record(of: charge, with: key)
    }

    func change(_ permit: ChangePermit, with key: APIKey) async throws(GatewayError) -> BookedChange {
        try await way.change(permit, with: key)
    }
}
