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
            #expect(!Self.holds(code, bytes), "\(file) holds a code")
            #expect(bytes.range(of: Data("2030-12".utf8)) == nil, "nor the expiry date")
        }
        #expect(!files.isEmpty)
    }

    /// Whether a code is somewhere by itself. Names are hexadecimal, and may have its digits among theirs.
    private static func holds(_ code: String, _ bytes: Data) -> Bool {
        let isHexadecimal = { (byte: UInt8) in Character(UnicodeScalar(byte)).isHexDigit }
        var rest = bytes.startIndex..<bytes.endIndex
        while let place = bytes.range(of: Data(code.utf8), in: rest) {
            let before = place.lowerBound > bytes.startIndex ? bytes[place.lowerBound - 1] : 0
            let after = place.upperBound < bytes.endIndex ? bytes[place.upperBound] : 0
            if !isHexadecimal(before), !isHexadecimal(after) { return true }
            rest = place.upperBound..<bytes.endIndex
        }
        return false
    }

    /// Numbers that are refused, answers that are lost: no error has a digit of the card, however it is printed.
    @Test func errorsSayNothingOfTheCard() async throws {
        let numbers = TestCard.all.map(\.number) + ["4222222222222", "4111111111111112"]
        try await withSandbox(["--faults", "300", "--seed", "11", "--lateness", "0.2"]) { _, address in
            let gateway = try gateway(address, timeout: .milliseconds(100), tries: 1)
            for number in numbers {
                guard let transaction = try? await gateway.open(try shoes()) else { continue }
                let preparer = HeadlessPreparer(card: try card(number))
                let payment = Payment(transaction, gateway: gateway, policy: impatient)
                let end = try await payment.pay(preparedBy: preparer)
                let error = preparer.latestError
                var printed =
                    "\(end) \(String(reflecting: end)) \(String(reflecting: error)) \(error?.message ?? "")"
                dump(end, to: &printed)
                dump(payment.state, to: &printed)
                #expect(!printed.contains(number) && !printed.contains(number.prefix(7)))
            }
        }
    }

    /// What the sandbox prints, on both outputs, from its start to its end.
    @Test func theSandboxLogsNothing() async throws {
        let folder = try Folder()
        let log = folder.path("log")
        let sandbox = try RunningProcess(
            "/bin/sh", ["-c", "exec '\(Programs.path("checkout-sandbox"))' --slow 0.03 >'\(log)' 2>&1"])
        var address = ""
        while address.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
            let lines = try? String(contentsOfFile: log, encoding: .utf8)
            address = lines?.split(separator: "\n").first.map(String.init) ?? ""
        }
        let gateway = try gateway(address, tries: 1)
        for number in TestCard.all.map(\.number) + ["4222222222222"] {
            let payment = Payment(try await gateway.open(try shoes()), gateway: gateway, policy: impatient)
            try await payment.pay(preparedBy: HeadlessPreparer(card: try card(number)))
        }
        #expect(try String(contentsOfFile: log, encoding: .utf8) == address + "\n")
        #expect(sandbox.isRunning)
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
