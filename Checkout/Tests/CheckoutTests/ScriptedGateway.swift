import CardData
import Synchronization

@testable import Checkout

/// A payment service that does as a test says, and keeps books.
final class ScriptedGateway: PaymentGateway {
    /// What a request meets: an answer, or an error before or after the work was done.
    enum Step: Sendable {
        case works
        case failsBefore(GatewayError)
        case failsAfter(GatewayError)
    }

    struct Script: Sendable {
        var open: [Step] = []
        var create: [Step] = []
        var authorise: [Step] = []
        var poll: [Step] = []
        var cancel: [Step] = []
        /// How a source is after its authorisation; and at each further question.
        var authorised: PaymentSource.Status = .processing
        var polled: [PaymentSource.Status] = []
        /// Whether each transaction has a name of its own.
        var hasManyOrders = false
        /// How long an authorisation takes.
        var pause: Duration?
        /// For which amount it opens transactions; nil for the one that is asked for.
        var opensFor: Money?
        /// Whether somebody else has paid the transactions that it is asked for.
        var isPaidElsewhere = false
        /// Whether somebody else pays at the moment of the authorisation, which is refused then.
        var losesTheRace = false
        /// Whether it takes the blanks off what is sold.
        var trims = false
        /// What happens while a transaction is looked up.
        var duringLookUp: (@Sendable () -> Void)?
    }

    struct Books: Sendable {
        var script: Script
        var requests: [String] = []
        var sources: [SourceID: PaymentSource.Status] = [:]
        var params: [SourceParams] = []
        var charges = 0
        /// Authorisations whose task was cancelled under them.
        var brokenOff = 0
    }

    /// Whether making a source holds its amount; for how long keys are kept.
    let holdsWithSource: Bool
    let keyLifetime: Duration?
    let books: Mutex<Books>
    let chargeBooks = Mutex(ScriptedCharge())

    static let service = "https://pay.example.com"
    var service: String { Self.service }

    init(_ script: Script = Script(), holdsWithSource: Bool = false, keyLifetime: Duration? = nil) {
        books = Mutex(Books(script: script))
        self.holdsWithSource = holdsWithSource
        self.keyLifetime = keyLifetime
    }

    static let methods = [
        PaymentMethod(id: "card", kind: .creditCard, flow: .inPlace),
        PaymentMethod(id: "swipe", kind: .swipe, flow: .inPlace),
        PaymentMethod(id: "wallet", kind: .wallet(name: "SandPay"), flow: .redirect),
    ]

    var requests: [String] { books.withLock { $0.requests } }
    var charges: Int { books.withLock { $0.charges } }
    var params: [SourceParams] { books.withLock { $0.params } }

    static let charge = Charge(
        id: "ch_1", amount: Money("4.40", currency: .eur) ?? Money(nothingIn: .eur), description: "Shoes")

    private func request<Value>(
        _ name: String, _ steps: WritableKeyPath<Script, [Step]>, _ work: (inout Books) -> Value
    ) throws(GatewayError) -> Value {
        let result: Result<Value, GatewayError> = books.withLock { books in
            books.requests.append(name)
            let step =
                books.script[keyPath: steps].isEmpty ? .works : books.script[keyPath: steps].removeFirst()
            switch step {
            case .works: return .success(work(&books))
            case .failsBefore(let error): return .failure(error)
            case .failsAfter(let error):
                _ = work(&books)
                return .failure(error)
            }
        }
        return try result.get()
    }

    func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction {
        try self.request("open", \.open) { books in
            let id =
                books.script.hasManyOrders
                ? TransactionID("txn_\(books.requests.count)") : TransactionID("txn_1")
            let description =
                books.script.trims
                ? String(request.description.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                : request.description
            return Self.transaction(description, books.script.opensFor ?? request.amount, id: id)
        }
    }

    func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction {
        books.withLock { $0.script.duringLookUp }?()
        return try request("transaction", \.open) { books in
            let charge = books.script.isPaidElsewhere ? Self.charge : nil
            return Self.transaction("Shoes", Self.charge.amount, id: id, charge)
        }
    }

    static func transaction(
        _ description: String, _ amount: Money, id: TransactionID = TransactionID("txn_1"),
        _ charge: Charge? = nil
    ) -> Transaction {
        Transaction(
            id: id, token: SensitiveText("tok_1"), description: description, amount: amount, methods: methods,
            charge: charge)
    }

    func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        try request("create", \.create) { books in
            let id = SourceID("src_\(books.sources.count + 1)")
            books.sources[id] = .pending
            books.params.append(params)
            return PaymentSource(id: id, status: .pending)
        }
    }

    func authorise(
        _ permit: AuthorisationPermit, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let result = Result { () throws(GatewayError) in try answer(to: permit.source) }
        if let pause = books.withLock({ $0.script.pause }) {
            try? await Task.sleep(for: pause)
            if Task.isCancelled { books.withLock { $0.brokenOff += 1 } }
        }
        return try result.get()
    }

    private func answer(to source: SourceID) throws(GatewayError) -> PaymentSource {
        let isLost = books.withLock { books in
            if books.script.losesTheRace { books.script.isPaidElsewhere = true }
            return books.script.losesTheRace
        }
        if isLost { throw GatewayError(.conflict, .unknown) }
        return try request("authorise", \.authorise) { books in
            Self.set(books.script.authorised, of: source, &books)
            return PaymentSource(id: source, status: books.script.authorised)
        }
    }

    func source(_ id: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource {
        try request("poll", \.poll) { books in
            if !books.script.polled.isEmpty { Self.set(books.script.polled.removeFirst(), of: id, &books) }
            return PaymentSource(id: id, status: books.sources[id] ?? .pending)
        }
    }

    func cancel(_ source: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource {
        try request("cancel", \.cancel) { books in
            switch books.sources[source] {
            case .pending, .redirect, nil: books.sources[source] = .cancelled
            case .processing, .consumed, .failed, .cancelled: break
            }
            return PaymentSource(id: source, status: books.sources[source] ?? .cancelled)
        }
    }

    private static func set(_ status: PaymentSource.Status, of id: SourceID, _ books: inout Books) {
        let wasConsumed = if case .consumed = books.sources[id] { true } else { false }
        books.sources[id] = status
        if case .consumed = status, !wasConsumed { books.charges += 1 }
    }
}
