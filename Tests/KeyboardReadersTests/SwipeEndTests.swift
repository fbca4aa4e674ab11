import CardData
import KeyboardReaders
import ReaderKit
import ReaderTesting
import Testing

/// When a typed swipe ends, and what keys are none.
@Suite struct SwipeEndTests {
    private static let tracks = TypedSwipes.card.split(separator: "?").map { $0 + "?" }

    private func typed(_ text: String, gap: Duration = .milliseconds(8)) throws -> ([KeyInput], TypingReader)
    {
        var reader = TypingReader()
        // A key goes down and up.
        reader.gap = gap / 2
        return (try reader.type(text), reader)
    }

    /// The Enter behind two tracks ends the swipe: no silence is waited for.
    @Test func atOnceBehindEnter() throws {
        let (keys, reader) = try typed(TypedSwipes.card + "\r")
        var run = KeyReplay()
        run.take(keys)
        #expect(run.swipes.count == 1)
        #expect(try #require(run.times.last) == reader.now - reader.gap * 2, "as the key goes down")
    }

    /// Where Enter stands behind each track, it ends none but the third.
    @Test func enterBehindEachTrack() throws {
        var (keys, reader) = try typed(Self.tracks.map { $0 + "\r" }.joined())
        var run = KeyReplay()
        for number in 1...3 {
            run.take(keys)
            #expect(run.swipes.count == number - 1)
            run.rest()
            #expect(run.swipes.count == number)
            #expect(run.swipes.last?.tracks.count { $0.text != nil } == 2)
            reader.pause(.seconds(2))
            keys = try reader.type(Self.tracks.map { $0 + "\r" }.joined())
        }
        reader.pause(.seconds(2))
        run.take(try reader.type("\(Self.tracks[0])\r\(Self.tracks[1])\r;4111==2912?\r"))
        #expect(run.swipes.count == 4, "three lines are all there are")
        #expect(run.complaints == [])
    }

    /// A card with one track: silence, until a swipe of two has told where the reader puts Enter.
    @Test func oneTrackAlone() throws {
        var (keys, reader) = try typed(Self.tracks[1] + "\r")
        var run = KeyReplay()
        run.take(keys)
        #expect(run.swipes.isEmpty)
        run.rest()
        #expect(run.swipes.count == 1)
        for _ in 0..<2 {
            reader.pause(.seconds(2))
            run.take(try reader.type(TypedSwipes.card + "\r"))
            run.rest()
        }
        reader.pause(.seconds(2))
        keys = try reader.type(Self.tracks[1] + "\r")
        run.take(keys)
        #expect(run.swipes.count == 4, "Enter stood behind two tracks")
    }

    /// A first track alone is waited behind: it is no half of a card.
    @Test(arguments: ["", "\r"], [120, 300, 900]) func aPauseBetweenTracks(end: String, pause: Int) throws {
        for gap in [4, 10, 30] {
            var reader = TypingReader()
            reader.gap = .milliseconds(gap) / 2
            var keys = try reader.type(Self.tracks[0] + end)
            reader.pause(.milliseconds(pause))
            keys += try reader.type(Self.tracks[1] + end)
            var run = KeyReplay()
            run.take(keys)
            run.rest()
            #expect(run.swipes.count == 1 && run.swipes.first?.sentTexts == 2, "\(gap)")
        }
    }

    /// Two tracks without Enter say nothing of where this reader puts one: what follows may still be a line for each track.
    @Test func withoutEnterNothingIsLearned() throws {
        var (keys, reader) = try typed(TypedSwipes.card)
        var run = KeyReplay()
        run.take(keys)
        run.rest()
        reader.pause(.seconds(3))
        keys = try reader.type(Self.tracks[0] + "\r")
        reader.pause(.milliseconds(300))
        keys += try reader.type(Self.tracks[1] + "\r")
        run.take(keys)
        run.rest()
        #expect(run.swipes.map(\.sentTexts) == [2, 2])
        #expect(run.complaints == [])
    }

    /// The silence is ten of the reader's own gaps, and 100 ms at least.
    @Test(arguments: [(1, 100), (5, 100), (12, 130), (40, 410), (60, 610)])
    func silenceFollowsThePace(gap: Int, patience: Int) throws {
        let (keys, _) = try typed(TypedSwipes.card, gap: .milliseconds(gap))
        var run = KeyReplay()
        run.take(keys)
        #expect(run.swipes.isEmpty)
        run.rest()
        let last = try #require(
            keys.last { if case .report(let bytes) = $0.content { bytes[2] != 0 } else { false } })
        let waited = try #require(run.times.last) - last.time
        #expect(waited >= .milliseconds(patience) && waited <= .milliseconds(patience + gap), "\(waited)")
    }

    /// Characters by their numbers take four keys each: the pace is that of the keys.
    @Test(arguments: [4, 15, 30]) func numbersAtAnyPace(gap: Int) throws {
        var habits = KeyTyping.Habits()
        habits.usesNumbers = true
        var reader = TypingReader(habits: habits)
        reader.gap = .milliseconds(gap)
        var run = KeyReplay()
        run.take(try reader.type(TypedSwipes.card + "\r"))
        run.rest()
        #expect(run.swipes.count == 1 && run.complaints == [])
        #expect(run.swipes.last?.card?.kind == "payment")
    }

    /// A pause in the middle breaks a swipe; its rest is none of its own, though a whole track stands in it.
    @Test func aPauseRefusesBothHalves() throws {
        var (keys, reader) = try typed(TypedSwipes.card + "\r")
        for index in keys.indices[100...] { keys[index].time += .milliseconds(700) }
        var run = KeyReplay()
        run.take(keys)
        run.rest()
        #expect(!run.swipes.isEmpty)
        #expect(run.swipes.allSatisfy { $0.tracks.isEmpty && $0.card == nil })
        reader.pause(.seconds(3))
        run.take(try reader.type(TypedSwipes.card + "\r"))
        #expect(run.swipes.last?.card != nil)
    }

    @Test(arguments: [
        "hello world\r", "the price is 100%, or less; is it?\r", "a", "\r\r\r", "02 03 2026\r", "%\r",
    ])
    func whatIsNoSwipe(text: String) throws {
        let (keys, _) = try typed(text, gap: .milliseconds(90))
        var run = KeyReplay()
        run.take(keys)
        run.rest()
        #expect(run.swipes.allSatisfy { $0.tracks.isEmpty })
        for word in ["hello", "price", "2026"] { #expect(!run.complaints.joined().contains(word)) }
        let count = text.contains { $0 != "\r" } ? 1 : 0
        #expect(run.complaints.count == count)
    }

    /// Keys without end: told once, and the next swipe is read.
    @Test func keysWithoutEnd() throws {
        var (keys, reader) = try typed(String(repeating: "a1", count: 10_000), gap: .milliseconds(1))
        var run = KeyReplay()
        run.take(keys)
        run.rest()
        #expect(run.complaints.count == 1)
        reader.pause(.seconds(3))
        keys = try reader.type(TypedSwipes.card + "\r")
        run.take(keys)
        #expect(run.swipes.last?.card != nil)
    }

    /// A reader that is pulled out right behind a swipe's Enter has swiped; one that is pulled out before it may not have.
    @Test(arguments: [(1, "\r", true), (1, "", false), (0, "\r", false)])
    func pulledOut(track: Int, end: String, isRead: Bool) throws {
        var reader = KeyboardReader(DeviceIdentity(readerID: "typing", bus: .usb, node: ""))
        _ = reader.start()
        let (keys, _) = try typed(Self.tracks[track] + end)
        let actions = keys.flatMap { reader.receive($0) } + reader.inputsEnded()
        let cards = actions.compactMap { action in
            if case .signal(.swiped(let swipe)) = action { swipe.card } else { nil }
        }
        #expect(cards.count == (isRead ? 1 : 0))
    }
}

extension Swipe {
    fileprivate var sentTexts: Int { tracks.count { $0.text != nil } }
}
