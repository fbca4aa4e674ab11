/// A card, as far as its tracks tell.
public enum Card: Sendable, Hashable {
    /// A payment card (ISO/IEC 7813).
    case payment(PaymentCard)
    /// Readable, of no format that is known here.
    case other
}
