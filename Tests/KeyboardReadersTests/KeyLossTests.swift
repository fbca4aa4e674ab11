import CardData
import KeyboardLayouts
import KeyboardReaders
import ReaderKit
import ReaderTesting
import Testing

/// Keys that are missing, changed, doubled: refused, never guessed.
@Suite struct KeyLossTests {
    private static let number = "4111111111111111"

    private func swipe(_ way: TypingReader.Way = .reports) throws -> [KeyInput] {
        var reader = TypingReader()
        reader.way = way
        return try reader.type(TypedSwipes.card + "\r")
    }

    private func run(_ keys: [KeyInput]) -> KeyReplay {
        var run = KeyReplay()
        run.take(keys)
        run.rest()
        return run
    }

    /// Wherever the kernel lost something, and however much: no card, and somebody hears of a swipe that failed.
    @Test(arguments: [1, 7, 60], TypingReader.Way.allCases)
    func lossesAreRefused(count: Int, way: TypingReader.Way) throws {
        let keys = try swipe(way)
        for place in keys.indices where place + count < keys.count {
            var left = keys
            left.replaceSubrange(place..<(place + count), with: [KeyInput(.lost, at: keys[place].time)])
            let run = run(left)
            #expect(run.swipes.allSatisfy { $0.tracks.isEmpty && $0.card == nil }, "\(place)")
            #expect(!run.complaints.isEmpty)
        }
    }

    /// One swipe that breaks off costs what comes within a second of it, and not each that comes within a second of another.
    @Test func aBreakCostsASecond() throws {
        var reader = TypingReader()
        var run = KeyReplay()
        var keys = try reader.type(TypedSwipes.card + "\r")
        keys[50] = KeyInput(.lost, at: keys[50].time)
        run.take(keys)
        run.rest()
        let broken = try #require(keys.last).time
        var read: [Bool] = []
        for _ in 0..<36 {
            reader.pause(.milliseconds(400))
            keys = try reader.type(TypedSwipes.card + "\r")
            let before = run.swipes.count
            run.take(keys)
            run.rest()
            #expect(run.swipes.count == before + 1)
            let isInTime = try #require(keys.first).time - broken < .seconds(1)
            #expect((run.swipes.last?.card == nil) == isInTime)
            read.append(!isInTime)
        }
        #expect(read.first == false && read.last == true)
        #expect(run.complaints.contains { $0.contains("so soon behind a swipe that broke off") })
    }

    /// What was typed before the taking went elsewhere; what comes so soon behind it may be the rest, were it a whole track.
    @Test(arguments: TypingReader.Way.allCases) func theTailBehindTheTakingIsRefused(way: TypingReader.Way)
        throws
    {
        let keys = try swipe(way)
        for place in keys.indices.dropLast(2) where place > 0 {
            var run = KeyReplay()
            let tail = Array(keys[place...])
            run.take([KeyInput(.opened, at: tail[0].time - .milliseconds(1))] + tail)
            run.rest()
            #expect(run.swipes.allSatisfy { $0.tracks.isEmpty && $0.card == nil }, "\(place)")
        }
        var run = KeyReplay()
        run.take([KeyInput(.opened, at: keys[0].time - .seconds(1))] + keys)
        run.rest()
        #expect(run.swipes.last?.card != nil)
    }

    /// A key goes up that never went down here.
    @Test func aPressThatIsMissingIsALoss() throws {
        let keys = try swipe(.codes)
        let start = try #require(keys.first).time + .milliseconds(100)
        for place in keys.indices where keys[place].time > start {
            guard case .keys(let changes) = keys[place].content,
                let press = changes.lastIndex(where: { $0.direction == .down && $0.code != 42 })
            else { continue }
            var left = changes
            left.remove(at: press)
            var run = keys
            run[place].content = .keys(left)
            #expect(self.run(run).swipes.allSatisfy { $0.tracks.isEmpty }, "\(place)")
        }
    }

    /// The session's own word of it.
    @Test func lossesInTheDaemon() throws {
        let keys = try swipe()
        var run = KeyReplay()
        run.take(Array(keys[..<80]))
        run.lose()
        run.take(Array(keys[80...]))
        run.rest()
        #expect(run.swipes.count == 1 && run.swipes[0].tracks.isEmpty)
    }

    /// A report that no keyboard sends, or that says that it cannot tell: the swipe around it is refused.
    @Test(
        arguments: [
            [2, 0, 1, 1, 1, 1, 1, 1], [0, 0, 0x1E, 0x1E, 0, 0, 0, 0], [0, 0, 0xA5, 0, 0, 0, 0, 0],
            [0, 0, 0x1E], [0, 0, 0x1E, 0, 0, 0, 0, 0, 0], [],
        ] as [[UInt8]])
    func brokenReports(report: [UInt8]) throws {
        var keys = try swipe()
        keys.insert(KeyInput(.report(report), at: keys[50].time), at: 50)
        let run = run(keys)
        #expect(run.swipes.allSatisfy { $0.tracks.isEmpty })
        #expect(!run.complaints.isEmpty)
    }

    /// Equal digits in a row, each of them.
    @Test(arguments: TypingReader.Way.allCases, [1, 3, 8, 15, 60])
    func equalDigits(way: TypingReader.Way, gap: Int) throws {
        var random = SeededGenerator(state: UInt64(gap))
        var reader = TypingReader()
        reader.way = way
        reader.gap = .milliseconds(gap) / 2
        reader.typing.habits.releasesEachKey = false
        var run = KeyReplay()
        var texts: [String] = []
        var pairs = 0
        while pairs < 1_000 {
            let digits = (0..<8).map { _ in Int.random(in: 0...9, using: &random) }
            pairs += digits.count
            let number = digits.map { "\($0)\($0)" }.joined()
            texts.append(";\(number)=29121010000000000?")
            run.take(try reader.type((texts.last ?? "") + "\r"))
            reader.pause(.seconds(2))
        }
        run.rest()
        #expect(run.swipes.compactMap { $0.tracks[1].text?.reveal() } == texts)
    }

    /// Reports that are dropped, doubled, changed, moved and cut, without a word of it: no trap, and no complaint that tells. What
    /// comes out of keys that nothing proves is a track by its own rules, or none.
    @Test func mutatedKeys() throws {
        var random = SeededGenerator(state: 7)
        var wrong = 0
        let streams = try TypedSwipes.texts.map { text in
            var reader = TypingReader()
            return try reader.type(text + "\r")
        }
        for turn in 0..<4_000 {
            var keys = streams[turn % streams.count]
            for _ in 0...Int.random(in: 0...3, using: &random) { mutate(&keys, using: &random) }
            let run = run(keys)
            for what in run.complaints where what.contains("4111") || what.contains("DOE") { wrong += 1 }
            for swipe in run.swipes where swipe.encryption == nil {
                for track in swipe.tracks {
                    guard let text = track.text?.reveal() else { continue }
                    if !text.hasSuffix("?") || text.utf8.contains(where: { $0 > 0x5F }) { wrong += 1 }
                }
            }
        }
        #expect(wrong == 0)
    }

    private func mutate(_ keys: inout [KeyInput], using random: inout SeededGenerator) {
        let place = Int.random(in: keys.indices, using: &random)
        guard case .report(var bytes) = keys[place].content else { return }
        switch Int.random(in: 0...5, using: &random) {
        case 0: keys.remove(at: place)
        case 1: keys.insert(keys[place], at: place)
        case 2:
            guard !bytes.isEmpty else { return }
            bytes[Int.random(in: bytes.indices, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
            keys[place].content = .report(bytes)
        case 3: keys.swapAt(place, Int.random(in: keys.indices, using: &random))
        case 4: keys[place].content = .report(Array(bytes.dropLast(Int.random(in: 0...8, using: &random))))
        case _: keys[place].content = .lost
        }
    }

    /// A dead key with a blank behind it, alone: one character or two.
    @Test func aDeadKeyIsNotGuessed() throws {
        let german = try KeyboardLayouts.layout("de")
        var reader = TypingReader(german)
        var run = KeyReplay(KeyboardOptions(layouts: [german]))
        run.take(try reader.type("%B4111111111111111^DOE?\r"))
        run.rest()
        #expect(run.swipes.allSatisfy { $0.tracks.isEmpty })
        #expect(run.complaints.first?.contains("dead key") == true)
        reader.typing.habits.knowsDeadKeys = false
        reader.pause(.seconds(3))
        run.take(try reader.type(TypedSwipes.card + "\r"))
        run.rest()
        #expect(run.swipes.last?.card != nil)
    }
}
