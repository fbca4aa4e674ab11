import Checkout
import CheckoutTesting
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import CheckoutHTTP

/// The gateway to Direct Post, against a fake that was made from the same public documentation.
@Suite struct NMITests {
    static func gateway(_ address: String, timeout: Duration = .seconds(10)) throws -> NMIGateway {
        try NMIGateway(
            HTTPGatewayConfiguration(
                address: address, answerTimeout: timeout, tries: 2, firstPause: .milliseconds(2)))
    }

    private static func desk(_ address: String, timeout: Duration = .seconds(10)) throws -> PaymentDesk {
        PaymentDesk(
            .secretKey("key_1"), gateway: try gateway(address, timeout: timeout), journal: MemoryJournal(),
            policy: PaymentPolicy(
                firstPoll: .milliseconds(3), longestPause: .milliseconds(20), pollTimeout: .milliseconds(400),
                redirectTimeout: .milliseconds(400), othersTimeout: .seconds(2)))
    }

    private static func pay(
        _ desk: PaymentDesk, _ card: CardDetails, capture: CaptureTime = .atOnce
    ) async throws -> PaymentState {
        try await desk.begin("Shoes", amount: try StripeSales.euros(440), capture: capture)
            .pay(preparedBy: HeadlessPreparer(card: card))
    }

    @Test func aTypedCardIsCharged() async throws {
        let fake = try FakeNMI()
        let charge = try StripeSales.charge(
            try await Self.pay(try Self.desk(fake.service.address), try card("4111111111111111")))
        #expect(
            charge.id == "2612675976" && charge.approvalCode == "123456" && charge.amount.minorUnits == 440)
        #expect(fake.done() == ["sale 4.40"])
        let sale = try #require(fake.service.log.first { $0.form["type"] == "sale" })
        #expect(
            sale.form["ccexp"] == "1230" && sale.form["cvv"] == "123" && sale.headers["authorization"] == nil)
        #expect(fake.service.log.filter { $0.body.contains("4111") }.count == 1, "in one request only")
        fake.service.stop()
    }

    /// Ciphertext and KSN of a reader, and no digit of the card.
    @Test func anEncryptedSwipeIsCharged() async throws {
        let fake = try FakeNMI()
        _ = try StripeSales.charge(
            try await Self.pay(try Self.desk(fake.service.address), try encryptedCard()))
        let sale = try #require(fake.service.log.first { $0.form["type"] == "sale" }).form
        #expect(sale["magnesafe_ksn"] == "FFFF9876")
        #expect(sale["magnesafe_track_1"] == "01AB" && sale["magnesafe_track_2"] == "0AFF")
        #expect(sale["magnesafe_magneprint"] == "07" && sale["magnesafe_magneprint_status"] == "61350200")
        #expect(sale.keys.allSatisfy { !$0.hasPrefix("cc") && $0 != "cvv" })
        fake.service.stop()
    }

    /// The fields that the pages name for ID TECH's readers.
    @Test func anIDTechSwipeIsCharged() async throws {
        let fake = try FakeNMI()
        _ = try StripeSales.charge(
            try await Self.pay(try Self.desk(fake.service.address), try encryptedCard(nil)))
        let sale = try #require(fake.service.log.first { $0.form["type"] == "sale" }).form
        #expect(sale["encrypted_ksn"] == "FFFF9876")
        #expect(sale["encrypted_track_1"] == "01AB" && sale["encrypted_track_2"] == "0AFF")
        #expect(sale.keys.allSatisfy { !$0.hasPrefix("magnesafe") && !$0.hasPrefix("cc") && $0 != "cvv" })
        fake.service.stop()
    }

    /// The answer to somebody else's question is none: what it says was paid is another payment.
    @Test func anotherPaymentsAnswerIsNotTaken() async throws {
        let mixer = try LocalService { request in
            let theirs = """
                <?xml version="1.0"?><nm_response><transaction><transaction_id>7</transaction_id>\
                <condition>complete</condition><order_id>another</order_id><currency>EUR</currency>\
                <merchant_defined_field id="1">another</merchant_defined_field>\
                <action><amount>4.40</amount><action_type>sale</action_type><success>1</success></action>\
                </transaction></nm_response>
                """
            // The sale gets no answer that can be read; each question gets the other payment.
            return request.path.hasSuffix("query.php")
                ? LocalService.Answer(200, "text/xml", theirs) : LocalService.Answer(502, "text/html", "")
        }
        let gateway = try Self.gateway(mixer.address)
        let name = NMIName(amount: try StripeSales.euros(440), capture: .atOnce, tip: nil, name: "x")
        await #expect(throws: GatewayError(.badAnswer, .unknown)) {
            try await gateway.transaction(TransactionID(name.text), with: .secretKey("key_1"))
        }
        let end = try await Self.pay(try Self.desk(mixer.address), try card("4111111111111111"))
        if case .success = end { Issue.record("paid by another one's charge") }
        mixer.stop()
    }

    @Test func aDeclineNamesItsReason() async throws {
        let fake = try FakeNMI()
        let end = try await Self.pay(try Self.desk(fake.service.address), try card("4012888888881881"))
        #expect(end == .failure(.gateway(GatewayError(.insufficientFunds, .refused))))
        fake.service.stop()
    }

    /// Nothing is sent twice that moves money; what was lost is found by its order, or is named as "perhaps".
    @Test(arguments: FaultyServices.faults) func faultsAtTheSale(fault: WireFault) async throws {
        let fake = try FakeNMI()
        let isUsed = Atomic(false)
        let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
            let isPhase = request.isEmpty ? fault == .resetAtOnce : request.hasSuffix("transact.php")
            return isPhase && !isUsed.exchange(true, ordering: .sequentiallyConsistent) ? fault : nil
        }
        let end = try await Self.pay(
            try Self.desk(proxy.address, timeout: .milliseconds(600)), try card("4111111111111111"))
        let charges = fake.done().count
        switch end {
        case .success: #expect(charges >= 1)
        case .possibleSuccess: break
        case .failure, .cancelled, .idle, .inProgress: #expect(charges == 0, "\(end)")
        }
        // A network that sends a request twice is beyond a client where the service knows no keys.
        if fault != .duplicate, fault != .lateDuplicate { #expect(charges <= 1, "\(fault)") }
        proxy.stop()
        fake.service.stop()
    }

    /// The same for a refund: an answer that is lost is never asked for again.
    @Test(arguments: [
        WireFault.lostRequest, .lostAnswer, .resetAfter, .truncation, .foreignAfter(200), .foreignBefore(402),
    ])
    func faultsAtARefund(fault: WireFault) async throws {
        let fake = try FakeNMI()
        let charge = try StripeSales.charge(
            try await Self.pay(try Self.desk(fake.service.address), try card("4111111111111111")))
        fake.settle()
        let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
            request.hasSuffix("transact.php") ? fault : nil
        }
        let end = try await Self.desk(proxy.address, timeout: .milliseconds(600)).change(
            .refund(ChargeID(charge.id), amount: try StripeSales.euros(200)))
        guard case .perhaps = end.outcome else { Issue.record("\(end.outcome)"); return }
        #expect(end.note?.attempt.names.contains("refund of charge 2612675976") == true)
        #expect(proxy.counts[fault] == 1 && fake.done().filter { $0.hasPrefix("refund") }.count <= 1)
        proxy.stop()
        fake.service.stop()
    }

    @Test func capturesRefundsAndVoids() async throws {
        let fake = try FakeNMI()
        let desk = try Self.desk(fake.service.address)
        let held = try StripeSales.charge(
            try await Self.pay(desk, try card("4111111111111111"), capture: .later))
        #expect(!held.isCaptured)
        let id = ChargeID(held.id)
        for (change, isDone) in [
            (ChargeChange.capture(id, amount: try StripeSales.euros(441)), false),
            (.capture(id, amount: try StripeSales.euros(300)), true),
            (.refund(id, amount: try StripeSales.euros(301)), false),
            (.refund(id, amount: try StripeSales.euros(300)), true),
            (.refund(id, amount: try StripeSales.euros(1)), false), (.void(id), false),
        ] {
            let end = await desk.change(change)
            fake.settle()
            if case .done = end.outcome {
                #expect(isDone, "\(change)")
            } else {
                #expect(!isDone, "\(end.outcome)")
            }
            if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
        }
        #expect(fake.done() == ["auth 4.40", "capture 3.00", "refund 3.00"])
        // What is not settled is voided; a refund of it is refused by the service itself.
        let next = try Self.desk(fake.service.address)
        let fresh = ChargeID(
            try StripeSales.charge(try await Self.pay(next, try card("4111111111111111"))).id)
        let early = await next.change(.refund(fresh))
        #expect(early.outcome == .failed(.gateway(GatewayError(.conflict, .refused))))
        guard case .done = await next.change(.void(fresh)).outcome else { Issue.record("not voided"); return }
        fake.service.stop()
    }

    @Test func aWrongKeyIsNoCharge() async throws {
        let fake = try FakeNMI()
        let desk = PaymentDesk(
            .secretKey("key_2"), gateway: try Self.gateway(fake.service.address), journal: MemoryJournal())
        let end = try await Self.pay(desk, try card("4111111111111111"))
        guard case .failure = end else { Issue.record("\(end)"); return }
        #expect(fake.done().isEmpty)
        fake.service.stop()
    }

    @Test func namesSayWhatTheyAre() throws {
        let name = NMIName(
            amount: try StripeSales.euros(440), capture: .later, tip: try StripeSales.euros(40),
            name: "order-of_17")
        let read = try #require(NMIName(name.text))
        #expect(
            read.amount == name.amount && read.capture == .later && read.tip == name.tip
                && read.name == name.name)
        for text in ["", "co_1_EUR", "xx_440_EUR_manual_0_a", "co_-1_EUR_manual_0_a", "co_1_QQQ_manual_0_a"] {
            #expect(NMIName(text) == nil)
        }
    }

    @Test(arguments: [
        "", "<a>", "<a></b>", "<a/>", "x<a></a>", "<a></a><b></b>", "<a>&bogus;</a>", "<!DOCTYPE a><a></a>",
        "<a><b></a></b>",
        "<a><![CDATA[x]]></a>", String(repeating: "<a>", count: 40),
    ])
    func whatIsNoDocumentIsNone(text: String) {
        #expect(XMLTree(ByteBuffer(string: text)) == nil)
    }

    @Test func documentsAreRead() throws {
        let text = "<?xml version=\"1.0\"?>\n<a x=\"1\"><!-- <b> --><b>1 &lt; 2 &amp; 3</b><c/></a>\n"
        let tree = try #require(XMLTree(ByteBuffer(string: text)))
        #expect(
            tree.name == "a" && tree.text("b") == "1 < 2 & 3" && tree.text("c") == "" && tree.text("d") == nil
        )
    }
}
