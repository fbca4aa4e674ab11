import CardData
import Checkout
import Testing

@testable import TillScreen

/// What a till draws and reads, without a terminal.
@Suite struct TillScreenTests {
    // MARK: Drawing

    private static func model(_ description: String = "Shoes") async throws -> TillModel {
        var model = TillModel(description: description, amount: "€4.40", service: "https://pay.example.com")
        let (_, screen) = try await Machines.begun(ScriptedGateway())
        model.take(.didFinishBegin(try #require(screen.options)))
        return model
    }

    /// Every size, with errors, wide letters and long words: no line is wider than the screen, the cursor is on it.
    @Test func anySizeIsDrawn() async throws {
        var model = try await Self.model("靴とか\u{1B}[31m👞" + String(repeating: "x", count: 300))
        for component in TillModel.order {
            model.take(.fieldError(component, .wrongCodeLength(expected: 4)))
        }
        model.take(.brandChanged(.amex))
        model.show(typed("3782822463"))
        model.say(
            "The customer has to agree at https://bank.example/" + String(repeating: "靴", count: 90),
            isGood: true)
        for columns in [-1, 0, 1] + Array(stride(from: 10, to: 200, by: 7)) {
            for rows in [0, 5, 10, 24, 60] {
                let drawing = TillDrawing(hasColour: false, hasUnicode: true, columns: columns, rows: rows)
                let (lines, cursor) = drawing.draw(model)
                let room = max(columns, TillDrawing.narrowest)
                #expect(lines.allSatisfy { ScreenText.width($0) <= room }, "\(columns)")
                #expect(!lines.joined().contains("\u{1B}"))
                let place = try #require(cursor)
                #expect(place.column < room && place.row < max(rows, 1))
                let near = lines[max(place.row - 1, 0)...place.row]
                #expect(rows < 2 || near.contains { $0.hasPrefix("> Number") }, "\(columns) \(rows)")
            }
        }
    }

    /// Every word of what a till has to say is on the screen as a whole, at the widths of the smallest screens.
    @Test(arguments: [40, 80], [true, false]) func noWordIsCut(columns: Int, hasUnicode: Bool) async throws {
        let news: [ReaderNews] = [
            .looking, .off, .noDaemon, .daemonGone, .mute, .noReader, .denied, .busy("MagTek MagneSafe V5"),
            .ready("ID TECH SecureMag"), .notReady("MagTek"), .reading("MagTek"),
            .gone("MagTek MagneSafe V5"),
        ]
        let problems: [FieldProblem] = [
            .missing, .incomplete, .wrongLength, .checkDigit, .unknownMonth, .expired, .tooFarAhead,
            .wrongCodeLength(expected: 4),
        ]
        let item = "Twelve pairs of woollen winter socks, and a hat"
        for (number, reader) in news.enumerated() {
            for problem in problems {
                var model = try await Self.model(item)
                model.take(reader)
                model.take(.brandChanged(.amex))
                for component in TillModel.order { model.take(.fieldError(component, problem)) }
                let error = GatewayError.Code.allCases[number % GatewayError.Code.allCases.count]
                model.take(.paymentDidFail(.gateway(GatewayError(error, .refused))))
                let drawing = TillDrawing(
                    hasColour: false, hasUnicode: hasUnicode, columns: columns, rows: 100)
                let shown = drawing.draw(model).lines.flatMap { $0.split(separator: " ") }
                let said =
                    [item, reader.words, problem.message, "American Express", model.message, model.service]
                    .flatMap { $0.split(separator: " ") }
                for word in said {
                    #expect(shown.contains { $0 == word || $0 == word + "," }, "\(word) at \(columns)")
                }
                #expect(shown.joined().contains("4.40"))
            }
        }
    }

    /// What was said of a card goes when the next one begins, typed or swiped; the form being emptied is not that.
    @Test func messagesGoWithTheNextCard() async throws {
        let declined = PaymentEvent.paymentDidFail(.gateway(GatewayError(.declined, .refused)))
        let begins: [(inout TillModel) -> Void] = [
            { $0.take(.fieldShouldUpdate(.cardNumber, FieldText("4"), caret: 1)) },
            { $0.take(.reading("MagTek")) },
            { $0.take(.cardSwiped(masked: "411111******1111", .visa)) },
        ]
        for event in [declined, .swipeRefused(.expired)] {
            for begin in begins {
                var model = try await Self.model()
                model.take(event)
                let message = model.message
                model.take(.fieldShouldUpdate(.cardNumber, .empty, caret: 0))
                model.take(.ready("MagTek"))
                #expect(model.message == message && !message.isEmpty)
                begin(&model)
                #expect(model.message != message)
            }
        }
    }

    /// A number of 19 digits with its gaps is wider than the narrowest screen.
    @Test func longNumbersFitNarrowScreens() async throws {
        var model = try await Self.model()
        model.show(typed("62" + String(repeating: "0", count: 17)))
        let drawing = TillDrawing(hasColour: false, hasUnicode: true, columns: 20, rows: 40)
        let (lines, cursor) = drawing.draw(model)
        let row = try #require(lines.firstIndex(of: "> Number")) + 1
        #expect(lines[row] == "620000•••••••••0000")
        #expect(cursor?.row == row && cursor?.column == 19)
    }

    @Test func errorsAreReadableOnNarrowScreens() async throws {
        var model = try await Self.model()
        model.take(.fieldError(.expiry, .expired))
        let drawing = TillDrawing(hasColour: false, hasUnicode: true, columns: 40, rows: 24)
        #expect(drawing.draw(model).lines.contains("    is past: the card has expired"))
    }

    @Test(arguments: [
        ("靴", 2), ("４", 2), ("e\u{301}", 1), ("👞", 2), ("Schuhe", 6), ("한", 2), ("•", 1), ("", 0),
    ])
    func wideLettersTakeTwoColumns(text: String, columns: Int) {
        #expect(ScreenText.width(text) == columns)
    }

    @Test(arguments: ["\u{1B}[2J", "\r", "\u{9B}1m", "\u{202E}", "\u{2066}", "\u{7F}"])
    func nothingSteersTheTerminal(text: String) throws {
        let plain = ScreenText(hasUnicode: true).plain("a\(text)b")
        #expect(plain.hasPrefix("a?") && plain.hasSuffix("b"))
        let amount = try euros(440)
        let result = TillResult(
            .paid, description: "Shoes\(text)", amount: amount, locale: MoneyLocale("de_DE"),
            charge: Charge(id: "ch\(text)", amount: amount, description: ""))
        #expect(
            result.words(ScreenText(hasUnicode: true)).unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0 != "\u{9B}"
            })
        #expect(result.words(ScreenText(hasUnicode: false)).hasPrefix("Paid: 4,40 EUR for Shoes?"))
    }

    @Test func walletsHaveFunctionKeys() async throws {
        let model = try await Self.model()
        #expect(model.wallets == ["SandPay"])
        #expect(model.wallet(of: 1)?.id == "wallet")
        #expect(model.wallet(of: 0) == nil && model.wallet(of: 2) == nil)
    }

    // MARK: Keys

    private static func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.keys(in: text.utf8)
    }

    @Test(arguments: [
        ("4", [Key.text("4")]), ("\u{1B}", [.escape]), ("\u{1B}[C", [.right]), ("\u{1B}OD", [.left]),
        ("\u{1B}[3~", [.delete]), ("\u{1B}[Z", [.backTab]), ("\r", [.enter]), ("\u{3}", [.interrupt]),
        ("\u{1B}OP", [.function(1)]), ("\u{1B}[14~", [.function(4)]), ("\u{1B}[[B", [.function(2)]),
        ("\u{1B}[[Z1", [.text("1")]), ("\u{1B}[200~41\n11\u{1B}[201~5", [.paste("41\n11"), .text("5")]),
        // Alt with a key is nothing; two escapes are one, and another one.
        ("\u{1B}4", []), ("\u{1B}é5", [.text("5")]), ("\u{1B}\u{1B}", [.escape, .escape]),
        ("\u{1B}[1;5C", [.right]), ("\u{1B}[99~", []),
    ])
    func keysAreUnderstood(text: String, keys: [Key]) {
        #expect(Self.keys(text) == keys)
    }

    @Test(arguments: [61, 4096]) func longPastesAreSkippedToTheirEnd(chunk: Int) {
        let paste = "\u{1B}[200~" + String(repeating: "4\r", count: 10_000) + "\u{1B}[201~5"
        var decoder = KeyDecoder()
        var keys: [Key] = []
        let bytes = Array(paste.utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            keys += decoder.keys(in: bytes[start..<min(start + chunk, bytes.count)])
        }
        #expect(keys == [.text("5")])
    }

    /// Whatever a terminal sends: nothing traps, and what is kept back stays short.
    @Test func anyBytesWillDo() {
        var random = RandomEdits.Random(state: 7)
        var decoder = KeyDecoder()
        let likely = Array("\u{1B}[O~200;1[".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(12)).map { _ in
                random.below(2) == 0 ? likely[random.below(likely.count)] : UInt8(random.below(256))
            }
            _ = decoder.keys(in: bytes)
        }
        #expect(decoder.pendingCount <= KeyDecoder.longestPending)
    }

    @Test(arguments: [
        ("4\t1\r", "4\t1\n", true), ("41", "41", false), ("\t", "\t", false),
    ])
    func burstsAreTexts(keys: String, text: String, pays: Bool) throws {
        let whole = try #require(Self.keys(keys).wholeText)
        #expect(whole.text == text && whole.pays == pays)
    }

    @Test(arguments: ["4\u{1B}[C", "4\u{7F}", "\u{1B}[200~4\u{1B}[201~", "4\u{3}"])
    func otherKeysMakeNoText(keys: String) { #expect(Self.keys(keys).wholeText == nil) }

    // MARK: Results

    /// Whatever was heard last, what is written down of the payment counts: it may have charged.
    @Test(
        arguments: [
            (.failure(.notAuthorised), .inProgress(.authorising), .perhapsPaid),
            (.failure(.notAuthorised), .possibleSuccess(.pollTimedOut), .perhapsPaid),
            (.cancelled(latestError: nil), .inProgress(.polling), .perhapsPaid),
            (.success(ScriptedGateway.charge), .success(ScriptedGateway.charge), .paid),
            (.failure(.notAuthorised), nil, .notPaid),
        ] as [(PaymentState, PaymentState?, TillResult.Outcome)])
    func whatIsWrittenDownCounts(heard: PaymentState, written: PaymentState?, outcome: TillResult.Outcome)
        throws
    {
        let attempt = try attempt()
        let result = TillResult(
            heard, description: "Shoes", amount: try euros(440), locale: MoneyLocale("en_GB")
        )
        .naming(written.map { EarlierPayment(attempt, $0) })
        #expect(result.outcome == outcome)
        if outcome == .perhapsPaid { #expect(result.json.contains(#""transaction":"txn_1""#)) }
    }

    /// "Perhaps paid" names all by which the payment is found, in words and for programs; two equal sales are told apart.
    @Test func doubtIsNamed() throws {
        let notes = try [("txn_1", "src_1", "key_1"), ("txn_2", "src_2", "key_2")].map { names in
            OpenAttempt(
                service: ScriptedGateway.service, order: "17", transaction: TransactionID(names.0),
                source: SourceID(names.1), key: IdempotencyKey(booked: names.2), amount: try euros(440),
                description: "Shoes", time: 1_795_384_800)
        }
        let results = try notes.map { note in
            let doubt = PaymentState.possibleSuccess(.pollTimedOut)
            return TillResult(
                doubt, description: "Shoes", amount: try euros(440), locale: MoneyLocale("en_GB"),
                order: "17"
            ).naming(EarlierPayment(note, doubt))
        }
        let words = results.map { $0.words(ScreenText(hasUnicode: true)) }
        #expect(
            words[0].hasSuffix(
                "€4.40 for Shoes has order 17, transaction txn_1, source src_1, idempotency key key_1, 2026-11-22 22:00:00 UTC."
            ))
        #expect(
            results[0].json.contains(
                #""order":"17","transaction":"txn_1","source":"src_1","idempotency_key":"key_1","time":"2026-11-22 22:00:00 UTC""#
            ))
        #expect(words[0] != words[1] && results[0].json != results[1].json)
        let earlier = TillResult(
            .notBegun, description: "Shoes", amount: try euros(440), locale: MoneyLocale("en_GB"),
            error: .earlierPayments([EarlierPayment(notes[1], .possibleSuccess(.pollTimedOut))]))
        #expect(earlier.words(ScreenText(hasUnicode: true)).contains("transaction txn_2, source src_2"))
        #expect(earlier.json.contains(#""earlier_order":"17","earlier_transaction":"txn_2""#))
    }

    /// What a killed till left behind is no result of another payment, and a doubt about the same one.
    @Test func earlierPaymentsEndATill() throws {
        let (amount, locale) = (try euros(440), MoneyLocale("en_GB"))
        let attempt = try attempt()
        let paid = EarlierPayment(attempt, .success(ScriptedGateway.charge))
        let result = { (description: String, order: String?) in
            TillResult(
                .notBegun, description: description, amount: amount, locale: locale, order: order,
                error: .earlierPayments([paid]))
        }
        let same = result("Shoes", nil)
        #expect(same.outcome == .perhapsPaid && same.outcome.exitStatus == 3)
        #expect(
            same.json.contains(#""error":"earlier_payment""#)
                && same.json.contains(#""earlier_charge":"ch_1""#))
        let other = result("Hat", nil)
        #expect(other.outcome == .notBegun && other.outcome.exitStatus == 5)
        #expect(
            other.words(ScreenText(hasUnicode: true)).contains(
                "Nothing was charged for Hat. It has transaction txn_1"))
        #expect(!EarlierPayment(attempt, .failure(.notAuthorised)).mayHaveCharged)
        #expect(!EarlierPayment(attempt, .cancelled(latestError: nil)).mayHaveCharged)
        #expect(EarlierPayment(attempt, .possibleSuccess(.pollTimedOut)).mayHaveCharged)
    }

    /// Where a terminal's echo has left the cursor, so that all of it is taken off the screen.
    @Test(arguments: [
        ("", 20, 0), ("4111", 20, 0), (String(repeating: "4", count: 20), 20, 0),
        (String(repeating: "4", count: 21), 20, 1), ("4111\n1230\n123\n", 20, 3), ("4111\r", 80, 1),
        ("\t\t\t", 20, 0), ("ééééé", 4, 1), ("\u{1B}\u{1B}\u{1B}", 4, 1),
    ])
    func echoIsMeasured(text: String, columns: Int, rows: Int) {
        #expect(EchoedText.rows(text.utf8, columns: columns) == rows)
    }
}
