import Checkout

/// The terminal's preparer: adds to what the form prepared where it was paid and how the card came, and says no when the
/// person at the till has given up meanwhile.
final class TerminalPreparer: SourceParamsPreparer {
    var latestError: PaymentError?
    /// How the card came that was paid with last; nil before one was.
    private(set) var entry: String?
    private let metadata: [String: String]
    private let isGivenUp: () -> Bool

    init(metadata: [String: String], isGivenUp: @escaping () -> Bool) {
        self.metadata = metadata
        self.isGivenUp = isGivenUp
    }

    func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
        guard !isGivenUp() else { return nil }
        var params = raw
        params.metadata.merge(metadata) { _, new in new }
        entry = params.card?.entry.rawValue ?? "wallet"
        params.metadata["entry"] = entry
        return params
    }
}
