import Checkout
import CheckoutTesting
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import CheckoutHTTP

/// When a service wants to be asked again, and what follows where it cannot say.
@Suite struct RetryAfterTests {
    @Test(arguments: [
        ("0", 0), ("7", 7), ("120", 120), ("Sun, 06 Nov 1994 08:49:40 GMT", 3),
        ("Sunday, 06-Nov-94 08:49:42 GMT", 5), ("Sun Nov  6 08:49:38 1994", 1),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Mon, 07 Nov 1994 08:49:37 GMT", 86_400),
    ])
    func secondsAndDates(text: String, seconds: Int) {
        #expect(RetryAfter.pause(text, "Sun, 06 Nov 1994 08:49:37 GMT") == .seconds(seconds))
    }

    @Test(arguments: [
        "", "-1", "1.5", "soon", "1 2", "９", "99999999999999999999", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
    ])
    func whatIsNeitherIsPassedOver(text: String) {
        #expect(RetryAfter.pause(text, nil) == nil)
    }

    /// A leap year's day, and a year of two digits in each century.
    @Test func datesAreDays() {
        #expect(RetryAfter.seconds("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
        #expect(RetryAfter.seconds("Friday, 31-Dec-99 23:59:59 GMT") == 946_684_799)
        #expect(RetryAfter.seconds("Tuesday, 01-Jan-30 00:00:00 GMT") == 1_893_456_000)
    }

    /// A 429 and a 503 with each form of the field: waited for, then asked again with the same key, and done once.
    @Test(arguments: [429, 503], ["1", "date"]) func theServiceIsAskedAgainWhenItWants(
        status: Int, form: String
    )
        async throws
    {
        try await withSandbox { sandbox, address in
            let times = Mutex<[ContinuousClock.Instant]>([])
            let server = try AnsweringProxy(to: address) { request in
                guard request.hasPrefix("POST /v1/transactions ") else { return nil }
                let count = times.withLock {
                    $0.append(.now)
                    return $0.count
                }
                let when = form == "1" ? "1" : RetryAfterTests.date(in: 2)
                return count > 1
                    ? nil
                    : "HTTP/1.1 \(status) Later\r\nRetry-After: \(when)\r\nDate: \(RetryAfterTests.date(in: 0))"
            }
            let transaction = try await gateway(server.address).open(try shoes())
            #expect(transaction.amount.minorUnits == 440)
            let asked = times.withLock { $0 }
            #expect(asked.count == 2 && asked[1] - asked[0] >= .milliseconds(990))
            server.stop()
        }
    }

    /// Longer than a till waits: told at once.
    @Test func aLongPauseIsTold() async throws {
        try await withSandbox { _, address in
            let server = try AnsweringProxy(to: address) { _ in "HTTP/1.1 429 Later\r\nRetry-After: 3600" }
            let start = ContinuousClock.now
            await #expect(throws: GatewayError(.tooManyRequests, .unknown)) {
                try await gateway(server.address).open(try shoes())
            }
            #expect(ContinuousClock.now - start < .seconds(3))
            server.stop()
        }
    }

    static func date(in seconds: Int) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(
            from: Date(
                timeIntervalSince1970: (Date.now.timeIntervalSince1970 + Double(seconds)).rounded(.down)))
    }

    /// What moves money without a key is sent once, whatever happens.
    @Test func onlyKeysAreRepeated() {
        for step in AnswerTable.Step.allCases {
            let moves = step == .authorise || step == .move
            #expect(AnswerTable.mayRepeat(step, hasKey: true))
            #expect(AnswerTable.mayRepeat(step, hasKey: false) == !moves)
        }
    }
}
