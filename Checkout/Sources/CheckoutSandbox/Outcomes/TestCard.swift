/// What happens when a source is authorised.
package enum Outcome: String, Sendable, CaseIterable {
    /// Charged at once.
    case approved
    /// Refused by the bank, for these reasons.
    case declined
    case insufficientFunds = "insufficient_funds"
    case expired = "expired_card"
    case wrongCode = "wrong_cvv"
    /// The customer has to agree on a page.
    case redirect
    /// Charged at once, shown as processing for a while.
    case slow
    /// Charged at once, shown as processing for ever.
    case endless
    /// Charged, then the answer is a 500; who asks again is told the truth.
    case failsAfterCharge = "fails_after_charge"
    /// Charged, then the connection is cut without an answer; who asks again is told the truth.
    case cutAfterCharge = "cut_after_charge"
}

/// A published test number and what it does here. No issuer gives these numbers out; all others are refused, so that
/// nobody's real card ends in a sandbox.
package struct TestCard: Sendable {
    package let number: String
    package let outcome: Outcome

    package static let all = [
        TestCard(number: "4111111111111111", outcome: .approved),
        TestCard(number: "5555555555554444", outcome: .approved),
        TestCard(number: "378282246310005", outcome: .approved),
        TestCard(number: "4761730000000011", outcome: .approved),
        TestCard(number: "4012888888881881", outcome: .declined),
        TestCard(number: "38520000023237", outcome: .insufficientFunds),
        TestCard(number: "371449635398431", outcome: .expired),
        TestCard(number: "30569309025904", outcome: .wrongCode),
        TestCard(number: "5105105105105100", outcome: .redirect),
        TestCard(number: "6011111111111117", outcome: .slow),
        TestCard(number: "6011000990139424", outcome: .endless),
        TestCard(number: "3530111333300000", outcome: .failsAfterCharge),
        TestCard(number: "3566002020360505", outcome: .cutAfterCharge),
    ]

    package var first6: String { String(number.prefix(6)) }
    package var last4: String { String(number.suffix(4)) }

    static func with(number: String) -> TestCard? { all.first { $0.number == number } }

    /// The card whose ends a reader let through.
    static func with(masked: String) -> TestCard? {
        all.first {
            masked.count == $0.number.count && masked.hasPrefix($0.first6.prefix(4))
                && masked.hasSuffix($0.last4)
        }
    }
}
