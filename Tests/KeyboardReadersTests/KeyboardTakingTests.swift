import KeyboardReaders
import ReaderKit
import ReaderTesting
import Testing

/// Who may be taken out of the focus, and who gets it back.
@Suite struct KeyboardTakingTests {
    private static let cases: [(KeyboardTaking, KeyboardTaking.Refusal?)] = [
        (taking(.none), .noConsent), (taking(.none, others: 0), .noConsent),
        (taking(.knownID), nil), (taking(.knownID, others: 0), .onlyKeyboard),
        (taking(.knownID, pointer: true), .pointer),
        (taking(.section(isForced: false)), nil),
        (taking(.section(isForced: false), others: 0), .onlyKeyboard),
        (taking(.section(isForced: false), pointer: true), .pointer),
        (taking(.section(isForced: false), givenBack: true), .givenBack),
        (taking(.section(isForced: true), others: 0, pointer: true), nil),
        (taking(.section(isForced: true), givenBack: true), .givenBack),
    ]

    private static func taking(
        _ consent: KeyboardTaking.Consent, others: Int = 1, pointer: Bool = false, givenBack: Bool = false
    ) -> KeyboardTaking {
        KeyboardTaking(
            consent: consent, hasPointer: pointer, otherKeyboards: others, wasGivenBack: givenBack)
    }

    @Test(arguments: cases.indices) func decides(index: Int) {
        #expect(Self.cases[index].0.refusal == Self.cases[index].1)
    }

    /// A reader's keys, at any pace that readers have, in any way that they type: never a person's.
    @Test(arguments: [1, 3, 8, 15, 40, 60], TypingReader.Way.allCases)
    func readersKeepTheirPlace(gap: Int, way: TypingReader.Way) throws {
        for habits in TypedSwipes.habits {
            var watch = PersonWatch()
            var reader = TypingReader(habits: habits)
            reader.way = way
            reader.gap = .milliseconds(gap) / 2
            for turn in 0..<20 {
                for input in try reader.type(TypedSwipes.texts[turn % TypedSwipes.texts.count] + "\r") {
                    let isPerson = watch.sees(input)
                    #expect(!isPerson, "\(gap) \(habits)")
                }
                reader.pause(.milliseconds(turn.isMultiple(of: 2) ? 300 : 5_000))
            }
        }
    }

    /// A person, at 90 to 400 ms a key, with the odd quick pair: given back within 20 keys.
    @Test(arguments: 0..<50) func aPersonIsNotice(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed))
        var watch = PersonWatch()
        var reader = TypingReader()
        let text = Array("The quick brown fox jumps over the lazy dog, 1234 times; is it?")
        for (count, character) in text.enumerated() {
            reader.pause(
                .milliseconds(
                    Int.random(in: 0..<6, using: &random) == 0 ? 40 : Int.random(in: 90...400, using: &random)
                ))
            if try reader.type(String(character)).contains(where: { watch.sees($0) }) {
                #expect(count < PersonWatch.mostKeys)
                return
            }
        }
        Issue.record("never given back")
    }

    /// Steady keys at a person's pace, and quick pairs with a slow key before each (Shift and a letter).
    @Test(arguments: [[2_100], [5_000], [100], [100, 50, 50], [76, 40], [400, 20, 20]])
    func anyPaceOfAPersonIsNoticed(gaps: [Int]) throws {
        var watch = PersonWatch()
        var reader = TypingReader()
        for count in 0..<PersonWatch.mostKeys {
            let noticed = try reader.type("e").contains { watch.sees($0) }
            if noticed { return }
            reader.pause(.milliseconds(gaps[count % gaps.count] - 16))
        }
        Issue.record("not within \(PersonWatch.mostKeys) keys")
    }

    /// A radio that stalls holds a key for a while, and the kernel repeats it.
    @Test(arguments: [0, 1, 40]) func aStallIsNoPerson(place: Int) throws {
        var watch = PersonWatch()
        var reader = TypingReader()
        reader.way = .codes
        for _ in 0..<3 {
            for (index, input) in try reader.type(TypedSwipes.card + "\r").enumerated() {
                let isPerson = watch.sees(input)
                #expect(!isPerson)
                guard index == place, case .keys(let changes) = input.content,
                    let down = changes.last(where: { $0.direction == .down })
                else { continue }
                for turn in 0..<8 {
                    let held = KeyInput(
                        .keys([KeyChange(down.code, .repeated)]), at: input.time + .milliseconds(turn * 30))
                    let isHeldByAPerson = watch.sees(held)
                    #expect(!isHeldByAPerson)
                }
            }
            reader.pause(.seconds(2))
        }
    }

    /// Keys that no swipe has: two of them are enough, also quick ones. Two keys that are held for long are a person's.
    @Test func keysOfAPerson() {
        for code in [1, 14, 59, 88, 102, 103, 105, 127] as [UInt16] {
            var watch = PersonWatch()
            let keys = (0..<4).map { turn in
                KeyInput(
                    .keys([KeyChange(code, turn.isMultiple(of: 2) ? .down : .up)]),
                    at: .milliseconds(turn * 10))
            }
            #expect(keys.contains { watch.sees($0) }, "\(code)")
        }
        var watch = PersonWatch()
        let held = (0..<40).map {
            KeyInput(
                .keys([KeyChange(30, $0 == 0 ? .down : $0 == 20 ? .up : .repeated)]),
                at: .milliseconds($0 * 30))
        }
        #expect(held.contains { watch.sees($0) })
    }
}
