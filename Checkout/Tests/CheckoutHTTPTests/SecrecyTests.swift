import Checkout
import CheckoutHTTP
import CheckoutSandbox
import CheckoutTesting
import Foundation
import Testing

/// Nothing of a card is kept beyond its first six and last four digits, and of the code nothing.
@Suite struct SecrecyTests {
    @Test func theStoreHoldsNoCard() async throws {
        let folder = try Folder()
        // A code that is nowhere else in the file.
        let code = "907"
        let numbers = TestCard.all.map(\.number).filter { !$0.hasPrefix("37") }
        try await withSandbox(["--database", folder.path("books.sqlite")]) { _, address in
            let gateway = try gateway(address)
            for number in numbers {
                let transaction = try await gateway.openTransaction(try shoes(), key: IdempotencyKey())
                let payment = Payment(transaction, gateway: gateway, policy: impatient)
                try await payment.pay(preparedBy: HeadlessPreparer(card: try card(number, cvv: code)))
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        for file in files {
            let bytes = try Data(contentsOf: folder.url.appending(path: file))
            for number in numbers {
                #expect(bytes.range(of: Data(number.utf8)) == nil, "\(file) holds a number")
            }
            #expect(bytes.range(of: Data("\"cvv\"".utf8)) == nil)
            #expect(bytes.range(of: Data("2030-12".utf8)) == nil, "nor the expiry date")
        }
        #expect(!files.isEmpty)
    }

    @Test func refusalsDoNotQuoteTheRequest() async throws {
        try await withSandbox { _, address in
            for body in [
                "{\"number\":\"4111111111111111\"", "{\"description\":4111111111111111}", "4111111111111111",
            ] {
                let text = try await send(body, to: address + "/v1/transactions")
                #expect(text.contains("bad_request"))
                #expect(!text.contains("4111"))
            }
        }
    }
}
