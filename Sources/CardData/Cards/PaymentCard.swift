/// A payment card (ISO/IEC 7813).
public struct PaymentCard: Sendable, Hashable {
    /// The account number.
    public var pan: SensitiveText

    /// A card with that account number.
    public init(pan: SensitiveText) { self.pan = pan }
}
