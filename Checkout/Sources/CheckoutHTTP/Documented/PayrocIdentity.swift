internal import CardData
internal import Checkout
internal import Synchronization

/// Payroc's identity service: a token for a merchant's key, for an hour (docs.payroc.com/api/authentication).
final class PayrocIdentity: Sendable {
    private struct Token {
        let key: SensitiveText
        let value: SensitiveText
        let end: ContinuousClock.Instant
    }

    private let sender: HTTPSender
    /// The latest: a till has one key.
    private let latest = Mutex<Token?>(nil)

    /// A token that ends soon would end on its way.
    private static let margin = Duration.seconds(60)

    init(_ sender: HTTPSender) { self.sender = sender }

    func token(for key: SensitiveText) async throws(GatewayError) -> SensitiveText {
        if let kept = latest.withLock({ $0 }), kept.key == key, kept.end > .now { return kept.value }
        var call = HTTPCall(.lookUp, "POST", "/authorize", key)
        call.credential = .apiKey
        do throws(GatewayError) {
            let (value, life) = try await sender.send(call, PayrocAnswers.proof) {
                $0.isJSON ? PayrocAnswers.token($0.body) : nil
            }
            latest.withLock { $0 = Token(key: key, value: value, end: .now + life - Self.margin) }
            return value
        } catch {
            // What was asked for with it never left.
            throw GatewayError(error.code, .notSent, error.message)
        }
    }

    func forget() { latest.withLock { $0 = nil } }
}
