import CardData
import Checkout
import SwipeClient
import Testing

/// The swipe as a card's source.
@Suite struct SwipeTests {

    @Test func aClearSwipeFillsNumberAndExpiry() throws {
        let field = SwipeField(today: november2026)
        let card = try field.take(Swipes.swipe()).get()
        guard case .clear(let clear) = card else {
            Issue.record("not clear")
            return
        }
        #expect(clear.expiry == month(2030, 12))
        #expect(field.text?.reveal() == "411111******1111")
        #expect(field.status == .passed)
    }

    @Test func anEncryptedSwipeHasNoDigits() throws {
        let card = try SwipeField(today: november2026).take(Swipes.encrypted).get()
        guard case .encrypted(let swipe) = card else {
            Issue.record("not encrypted")
            return
        }
        #expect(swipe.encryption.keySerialNumber == [0xFF, 0xFF, 0x98])
        #expect(swipe.maskedNumber == "4111********1111")
    }

    @Test(arguments: [
        (SwipeData(tracks: []), SwipeRefusal.unreadable(nil)),
        (SwipeData(tracks: [], quality: SwipeQuality(hint: .tooSlow)), .unreadable(.tooSlow)),
        (Swipes.swipe(kind: .aamva), .notAPaymentCard), (Swipes.swipe(nil), .notForUs),
        (Swipes.swipe("4111111111111112"), .wrongDigit),
        (Swipes.swipe(expiry: nil), .noExpiry), (Swipes.swipe(expiry: "2610"), .expired),
        (
            SwipeData(tracks: [], encryption: SwipeEncryption(scheme: "dukpt-tdes", keySerialNumber: [1])),
            .notForUs
        ),
    ])
    func swipesThatCannotPayAreRefused(swipe: SwipeData, refusal: SwipeRefusal) {
        let field = SwipeField(today: november2026)
        _ = field.take(Swipes.swipe())
        #expect(throws: refusal) { try field.take(swipe).get() }
        #expect(field.swipedCard == nil)
        #expect(field.status == .failed)
    }

    @Test func theMachineTakesASwipe() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let (machine, screen) = try await Machines.begun(gateway)
        screen.calls = []
        #expect(machine.take(Swipes.swipe()))
        #expect(
            screen.calls == [
                "swiped 411111******1111", "brand visa", "update cardNumber", "update expiry",
                "green cardNumber",
                "green expiry",
            ])
        #expect(screen.texts[.cardNumber] == "411111******1111")
        #expect(try await machine.submit() == .success(ScriptedGateway.charge))
        #expect(gateway.params.first?.method?.kind == .swipe)
    }

    @Test func aSwipeMayNeedItsCode() async throws {
        var options = Machines.options
        options.swipeNeedsCode = true
        let gateway = ScriptedGateway(Machines.approving)
        let machine = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
        let screen = Screen()
        machine.delegate = screen
        try await machine.begin(item: "Shoes", amountInCents: 440)
        machine.take(Swipes.swipe())
        #expect(screen.calls.last == "focus cvv")
        #expect(try await machine.submit() == nil)
        machine.edit(.cvv) { $0.type("123") }
        #expect(try await machine.submit() == .success(ScriptedGateway.charge))
        machine.take(Swipes.encrypted)
    }

    @Test func ciphertextGoesToTheService() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let (machine, _) = try await Machines.begun(gateway)
        machine.take(Swipes.encrypted)
        #expect(try await machine.submit() == .success(ScriptedGateway.charge))
        guard case .encrypted(let swipe)? = gateway.params.first?.card?.content else {
            Issue.record("not encrypted")
            return
        }
        #expect(swipe.encryption.tracks.first?.ciphertext == [1, 2, 3])
    }

    /// An arrow key, or a letter, is no other card; deleting what is shown is.
    @Test func movingTheCaretKeepsASwipe() async throws {
        var options = Machines.options
        options.swipeNeedsCode = true
        let gateway = ScriptedGateway(Machines.approving)
        let machine = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
        let screen = Screen()
        machine.delegate = screen
        try await machine.begin(item: "Shoes", amountInCents: 440)
        machine.take(Swipes.swipe())
        machine.edit(.cardNumber) { editor in
            editor.moveCaret(by: -1)
            return .unchanged
        }
        machine.edit(.cardNumber) { $0.type("x") }
        #expect(screen.texts[.cardNumber] == "411111******1111")
        machine.clearSwipe()
        #expect(screen.texts[.cardNumber]?.isEmpty == true)
        #expect(screen.calls.contains("brand none"))
        machine.take(Swipes.swipe())
        machine.edit(.cvv) { $0.type("123") }
        #expect(try await machine.submit() == .success(ScriptedGateway.charge))
    }

    @Test func typingAfterASwipeMeansAnotherCard() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway())
        machine.take(Swipes.swipe())
        machine.edit(.cardNumber) { $0.type("5") }
        #expect(screen.texts[.cardNumber] == "5")
        #expect(screen.texts[.expiry]?.isEmpty == true)
        #expect(try await machine.submit() == nil)
    }

    // MARK: Chips

    static func chipSwipe(_ number: String = "4111111111111111", code: String? = "201", reader: Bool = false)
        -> SwipeData
    {
        var swipe = Swipes.swipe(number)
        swipe.card?.pan?.masked = "411111******\(number.suffix(4))"
        swipe.card?.serviceCode = code
        swipe.hasChip = reader
        return swipe
    }

    @Test(
        arguments: [
            ("201", false, true), ("621", false, true), ("101", false, false), ("501", false, false),
            (nil, false, false), ("101", true, true), (nil, true, true), ("x", false, false),
        ] as [(String?, Bool, Bool)])
    func serviceCodeOrReaderSayChip(code: String?, reader: Bool, hasChip: Bool) throws {
        #expect(
            try SwipedCard(Self.chipSwipe(code: code, reader: reader), today: november2026).hasChip == hasChip
        )
        var encrypted = Swipes.encrypted
        encrypted.card?.serviceCode = code
        encrypted.hasChip = reader
        #expect(try SwipedCard(encrypted, today: november2026).hasChip == hasChip)
    }

    /// Asked once for each payment with each card; the second swipe of the same one is the fallback.
    @Test func aChipIsAskedForFirst() async throws {
        let gateway = ScriptedGateway(.init(authorised: .failed(.declined)))
        let (machine, screen) = try await Machines.begun(gateway)
        let refusal = "refused This card has a chip: insert it. If that fails, swipe it again."
        for _ in 1...2 {
            #expect(!machine.take(Self.chipSwipe()))
            #expect(screen.calls.last == refusal)
            #expect(!machine.take(Self.chipSwipe("5555555555554444")), "another card")
            #expect(!machine.take(Self.chipSwipe()))
            #expect(!machine.take(SwipeData(tracks: [])), "a bad swipe in between")
            #expect(machine.take(Self.chipSwipe()))
            try await machine.submit()
        }
        #expect(gateway.params.map { $0.card?.entry } == [.fallback, .fallback])
    }

    @Test func chipsMayBeAllowedOrRefused() throws {
        let card = try SwipedCard(Self.chipSwipe(), today: november2026)
        var allowing = ChipCheck(.allow)
        try allowing.check(card)
        var refusing = ChipCheck(.refuse)
        for _ in 1...3 {
            #expect(throws: SwipeRefusal.hasChip(mayFallBack: false)) { try refusing.check(card) }
        }
        for rule in ChipRule.allCases {
            var check = ChipCheck(rule)
            try check.check(try SwipedCard(Swipes.swipe(), today: november2026))
        }
        let field = SwipeField(today: november2026)
        #expect(throws: SwipeRefusal.hasChip(mayFallBack: true)) { try field.take(Self.chipSwipe()).get() }
        #expect(throws: Never.self) { try field.take(Self.chipSwipe()).get() }
    }

    @Test func entriesAreNamed() throws {
        #expect(try clearCard().entry == .typed)
        guard case .clear(let swiped) = try SwipedCard(Swipes.swipe(), today: november2026) else { return }
        #expect(CardDetails(.swiped(swiped, cvv: nil)).entry == .swiped)
    }

    @Test func aBadSwipeForgetsTheGoodOne() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway())
        machine.take(Swipes.swipe())
        #expect(!machine.take(SwipeData(tracks: [])))
        #expect(screen.calls.last == "refused The card could not be read. Swipe it again.")
        #expect(try await machine.submit() == nil)
    }
}
