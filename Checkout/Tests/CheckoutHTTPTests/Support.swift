import AsyncHTTPClient
import CardData
import Checkout
import CheckoutHTTP
import CheckoutTesting
import Foundation
import NIOCore
import NIOHTTP1
import Testing

func gateway(
    _ address: String, timeout: Duration = .seconds(10), tries: Int = 3, trust: String? = nil
) throws -> HTTPGateway {
    try HTTPGateway(
        HTTPGatewayConfiguration(
            address: address, additionalTrust: trust, connectTimeout: .seconds(5), answerTimeout: timeout,
            tries: tries, firstPause: .milliseconds(2)))
}

func shoes(_ cents: Int = 440) throws -> TransactionRequest {
    TransactionRequest(
        description: "Shoes", amount: try #require(Money(minorUnits: cents, currency: .eur)),
        apiKey: .publicKey("pkey_0d4502a9bf8430ae"))
}

func card(_ number: String, cvv: String? = nil) throws -> CardDetails {
    let account = try #require(AccountNumber(digits: Array(number.utf8)))
    let code = cvv ?? (account.brand == .amex ? "1234" : "123")
    let expiry = try #require(CalendarMonth(year: 2030, month: 12))
    return CardDetails(.typed(ClearCard(number: account, expiry: expiry), cvv: SensitiveText(code)))
}

/// Asks often, and waits long enough for what ends by itself on a busy machine.
let quick = PaymentPolicy(
    firstPoll: .milliseconds(5), longestPause: .milliseconds(20), pollTimeout: .seconds(60),
    redirectTimeout: .seconds(60))

/// Asks often, and gives up soon.
let impatient = PaymentPolicy(
    firstPoll: .milliseconds(5), longestPause: .milliseconds(20), pollTimeout: .milliseconds(200),
    redirectTimeout: .milliseconds(200))

/// A request that our gateway would not make.
func send(_ body: String, to address: String, key: String? = nil) async throws -> String {
    var request = HTTPClientRequest(url: address)
    request.method = .POST
    request.headers.add(name: "Authorization", value: "Bearer pkey_1")
    if let key { request.headers.add(name: "Idempotency-Key", value: key) }
    request.body = .bytes(ByteBuffer(string: body))
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
    return String(buffer: try await response.body.collect(upTo: 65_536))
}

extension Payment {
    /// A payment at a desk of its own.
    convenience init(
        _ transaction: Transaction, gateway: any PaymentGateway, policy: PaymentPolicy = PaymentPolicy(),
        journal: any PaymentJournal = MemoryJournal()
    ) {
        let desk = PaymentDesk(.publicKey("pkey_1"), gateway: gateway, journal: journal, policy: policy)
        self.init(transaction, desk: desk)
    }
}
