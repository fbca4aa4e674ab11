import CardData
import Checkout
import SwipeClient

/// Swipes for a test.
enum Swipes {
    static func swipe(
        _ number: String? = "4111111111111111", expiry: String? = "3012", kind: CardKind = .payment
    ) -> SwipeData {
        let pan = PANInfo(
            number: number.map { SensitiveText($0) }, masked: "411111******1111", length: 16, brand: "visa")
        return SwipeData(card: CardInfo(kind: kind, pan: pan, expiry: expiry), tracks: [])
    }

    static let encrypted = SwipeData(
        card: CardInfo(kind: .payment, pan: PANInfo(masked: "4111********1111", length: 16, brand: "visa")),
        tracks: [],
        encryption: SwipeEncryption(
            scheme: "dukpt-tdes", keySerialNumber: [0xFF, 0xFF, 0x98],
            tracks: [SwipeEncryption.Track(track: 2, ciphertext: [1, 2, 3], clearLength: 37)]))
}
