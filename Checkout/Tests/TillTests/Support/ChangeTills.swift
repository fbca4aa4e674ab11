import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// A till for refunds and voids.
enum ChangeTills {
    struct Line: Decodable {
        var outcome: String
        var charge: String?
        var change: String?
        var id: String?
        var amount: Int?
        var captured: Int?
        var refunded: Int?
        var error: String?
        var idempotencyKey: String?
        var time: String?
    }

    static func line(_ text: String) throws -> Line {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Line.self, from: Data(text.utf8))
    }

    /// Sells something; the charge.
    static func sell(
        _ address: String, _ journal: Folder, _ more: [String] = [], card: String = "4111111111111111"
    ) async throws -> String {
        let till = try await TillRun.onPipe(
            address, ["Shoes", "4.40", "--no-reader", "--json"] + more, input: "\(card)\n1230\n123\n",
            journal: journal)
        #expect(till.status == 0, "\(till.output) \(till.errors)")
        return try #require(try line(till.output).charge)
    }

    /// A charge on a card that makes more go wrong, or not; nil where the payment is in doubt.
    static func charge(
        _ address: String, _ journal: Folder, _ kind: String, _ random: inout SeededGenerator
    ) async throws -> String? {
        let card =
            ["4111111111111111", "3530111333300000", "3566002020360505"].randomElement(using: &random) ?? ""
        let till = try await TillRun.onPipe(
            address,
            ["Shoes \(UInt32.random(in: 0 ... .max, using: &random))", "4.40", "--no-reader", "--json"]
                + (kind == "capture" ? ["--authorise-only"] : []),
            input: "\(card)\n1230\n123\n", journal: journal)
        return till.status == 0 ? try line(till.output).charge : nil
    }
}
