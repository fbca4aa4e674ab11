import Testing

/// No card number but the published test numbers is in the tree, not even by accident.
@Suite struct CardNumberTests {
    /// Numbers that manuals and payment networks publish for tests. A new one comes with its source.
    static let published: Set<String> = [
        // MagTek, MagneSafe V5 manual: example cards, the second one as masked with zeros.
        "5452300551227189", "5452000000007189", "5163499080020445", "5163000050000445", "4266841088889999",
        // ID TECH, SecureMag user's manual: "UAT USA/TEST CARD".
        "4761730000000011",
        // ANSI X9.24-1, the worked DUKPT examples; an EMV test card in openemv/dukpt's own tests.
        "4012345678909", "4761739001010010",
        // The networks' and processors' public test cards.
        "4111111111111111", "4012888888881881", "4222222222222", "5555555555554444", "5105105105105100",
        "2223003122003222", "2223000048400011", "378282246310005", "371449635398431", "6011111111111117",
        "6011000990139424", "3056930009020004", "30569309025904", "38520000023237", "3530111333300000",
        "3566002020360505", "6200000000000005", "6221260000000000", "6759649826438453", "2200000000000004",
    ]

    @Test func onlyPublishedNumbers() {
        let found = Tree.files.flatMap { path -> [Violation] in
            guard let text = Tree.text(path) else { return [] }
            return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
                index, line in
                CardNumbers.find(in: line).filter { !Self.published.contains($0) }
                    .map {
                        Violation(path: path, line: index + 1, what: "\($0.prefix(6))… may be a card number")
                    }
            }
        }
        #expect(found.isEmpty, "\(report(found, "Use a published test number (CardNumberTests.published)."))")
    }

    @Test(arguments: [
        (";4761730000000011=2412?", ["4761730000000011"]), ("%B4111111111111111^A", ["4111111111111111"]),
        ("4111111111111112", []), ("0000000000000000", []), ("fe4111111111111111", []),
        ("41111111111111110000", []), (#""\n4111111111111111 ""#, ["4111111111111111"]),
    ])
    func numbersAreFound(text: String, numbers: [String]) {
        #expect(CardNumbers.find(in: text[...]) == numbers)
    }
}

/// Digit runs that a payment network could have issued.
enum CardNumbers {
    static func find(in line: Substring) -> [String] {
        var found: [String] = []
        var rest = line
        while let start = rest.firstIndex(where: \.isASCIIDigit) {
            let before = start == line.startIndex ? nil : line[line.index(before: start)]
            let run = rest[start...].prefix(while: \.isASCIIDigit)
            rest = rest[run.endIndex...]
            // Inside a word or a hex dump it is no number; after the format code B of track 1 it is one, and after "\n".
            let opensWord = before == "B" || line[..<start].hasSuffix(#"\n"#)
            let insideWord = (before?.isLetter ?? false) && !opensWord || (rest.first?.isLetter ?? false)
            if !insideWord, isCardNumber(run) { found.append(String(run)) }
        }
        return found
    }

    /// 13 to 19 digits, a first digit of a payment network (ISO/IEC 7812-1: 3 to 6, and Mastercard's 2), Luhn right.
    private static func isCardNumber(_ digits: Substring) -> Bool {
        guard (13...19).contains(digits.count), let first = digits.first, "23456".contains(first) else {
            return false
        }
        let values = digits.reversed().compactMap(\.wholeNumberValue)
        let sum = values.enumerated().reduce(0) { sum, item in
            let doubled = item.offset.isMultiple(of: 2) ? item.element : item.element * 2
            return sum + doubled / 10 + doubled % 10
        }
        return sum.isMultiple(of: 10)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
