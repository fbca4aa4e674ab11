import CardData
import EventServer
import SwipeClient
import SwipeProtocol
import Testing

/// Hands on each card that it is told of.
private final class Counter: SwipeDelegate {
    let cards = AsyncStream<SwipedCard?>.makeStream()

    func didSwipeCard(_ card: SwipedCard?, device: SwipeDevice) { cards.continuation.yield(card) }
}

/// What a delegate takes out of a card, as it comes from the daemon.
@Suite(.timeLimit(.minutes(5))) struct SwipedCardTests {
    private static let reader = ReaderInfo(
        id: "magtek-1", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)

    /// The swipe, as a delegate at a daemon's socket gets it.
    private func told(_ swipe: SwipeData, roles: Set<Role> = [.full]) async throws -> SwipedCard? {
        var told: SwipedCard?
        try await withServer(roles: roles) { server, path in
            server.publish(Publication(reader: Self.reader, .connect(Self.reader)))
            let counter = Counter()
            let controller = SwipeController(delegate: counter, client: SwipeClient(path: path))
            let watcher = SwipeClient(path: path)
            // It listens when it knows the reader.
            while controller.devices.isEmpty { try await watcher.ping() }
            server.publish(Publication(reader: Self.reader, .swipe(swipe)))
            told = await counter.cards.stream.first { _ in true } ?? nil
        }
        return told
    }

    @Test func aCardInClear() async throws {
        let track1 = "%B4111111111111111^DOE/JOHN^2712101?"
        let swipe = SwipeData(
            card: CardInfo(
                kind: .payment, pan: PANInfo(masked: "411111******1111", length: 16), expiry: "2712",
                name: SensitiveText("DOE/JOHN")),
            tracks: [
                TrackInfo(track: 1, status: .ok, text: SensitiveText(track1)),
                TrackInfo(track: 2, status: .repaired, text: SensitiveText(";4111111111111111=2712101?")),
                TrackInfo(track: 3, status: .ok, text: SensitiveText(";00123=456?")),
            ])
        let card = try #require(try await told(swipe))
        #expect(card.swipe == swipe)
        #expect(card.maskedCardNumber == "411111******1111")
        #expect(card.expirationDate == "1227")
        #expect(card.cardholderName?.reveal() == "DOE/JOHN")
        #expect(card.track1?.reveal() == track1)
        #expect(card.track2?.reveal() == ";4111111111111111=2712101?")
        #expect(card.track3?.reveal() == ";00123=456?")
        #expect(!card.isEncrypted)
        #expect(card.keySerialNumber == nil && card.encryptedTrack(2) == nil && card.magnePrint == nil)
    }

    @Test func anEncryptedCard() async throws {
        let print = SwipeEncryption.MagnePrint(status: 1, ciphertext: [0, 1])
        let serial: [UInt8] = [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0, 1]
        let swipe = SwipeData(
            tracks: [TrackInfo(track: 2, status: .ok, masked: ";5452********7189=0804*?")],
            encryption: SwipeEncryption(
                scheme: "dukpt-tdes", keySerialNumber: serial,
                tracks: [SwipeEncryption.Track(track: 2, ciphertext: [0xC2, 0x5C])], magnePrint: print))
        let card = try #require(try await told(swipe))
        #expect(card.isEncrypted)
        #expect(card.keySerialNumber == serial)
        #expect(card.encryptedTrack(2) == [0xC2, 0x5C])
        #expect(card.encryptedTrack(1) == nil)
        #expect(card.magnePrint == print)
        #expect(card.maskedCardNumber == nil && card.expirationDate == nil && card.cardholderName == nil)
        #expect(card.track2 == nil)
    }

    @Test(arguments: [nil, "271", "27123"]) func noExpiryOfAnotherLength(expiry: String?) async throws {
        let swipe = SwipeData(
            card: CardInfo(kind: .payment, expiry: expiry), tracks: [TrackInfo(track: 2, status: .ok)])
        #expect(try await told(swipe)?.expirationDate == nil)
    }
}
