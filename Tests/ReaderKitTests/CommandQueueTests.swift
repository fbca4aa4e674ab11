import ReaderKit
import ReaderTesting
import Testing

@Suite("Commands that wait")
struct CommandQueueTests {
    private static let tone = PowerTone(frequency: 1_000, waveform: .sine, channels: .left)
    private static let burst = TransportCommand.sound(.play([1], rate: 48_000))

    @Test func keepsTheOrderWhileThereIsRoom() {
        let commands: [TransportCommand] = [
            .sound(.listen), .sound(.raiseVolume), .sound(.startTone(Self.tone)), Self.burst,
            .sound(.stopTone),
            .sound(.restoreVolume), .sound(.stopListening), .sound(.listen), .output([1]),
        ]
        var queue = CommandQueue()
        let taken = commands.map { queue.add($0) }
        #expect(!taken.contains(false))
        let given = (0...commands.count).map { _ in queue.takeFirst() }
        #expect(given == commands + [nil])
    }

    @Test func refusesReportsWithoutRoom() {
        var queue = CommandQueue()
        let taken = (0...CommandQueue.room).map { _ in queue.add(.output([1])) }
        #expect(taken == Array(repeating: true, count: CommandQueue.room) + [false])
        let isStopTaken = queue.add(.sound(.stopTone))
        #expect(isStopTaken)
    }

    /// What is on at the card once everything was carried out.
    private struct Card: Hashable {
        var tone = false
        var volume = false
        var microphone = false

        mutating func obey(_ command: TransportCommand?) {
            switch command {
            case .sound(.startTone): tone = true
            case .sound(.stopTone): tone = false
            case .sound(.raiseVolume): volume = true
            case .sound(.restoreVolume): volume = false
            case .sound(.listen): microphone = true
            case .sound(.stopListening): microphone = false
            case .sound(.play), .feature, .setFeature, .getFeature, .output, .write, nil: break
            }
        }
    }

    private static func count(_ queue: CommandQueue) -> Int {
        var rest = queue
        var count = 0
        while rest.takeFirst() != nil { count += 1 }
        return count
    }

    /// However much is asked and however slow the card: what is on in the end is what was asked for last.
    @Test("the last word on each thing wins", arguments: 0..<50)
    func theLastWordWins(seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed))
        let commands: [TransportCommand] = [
            .sound(.startTone(Self.tone)), .sound(.stopTone), .sound(.raiseVolume), .sound(.restoreVolume),
            .sound(.listen), .sound(.stopListening), Self.burst, Self.burst,
        ]
        var queue = CommandQueue()
        var wanted = Card()
        var card = Card()
        for _ in 0..<300 {
            let command = commands[Int(generator.next() % UInt64(commands.count))]
            let isTaken = queue.add(command)
            #expect(isTaken || command == Self.burst)
            wanted.obey(command)
            #expect(Self.count(queue) <= CommandQueue.room + 3)
            if generator.next() % 10 == 0 { card.obey(queue.takeFirst()) }
        }
        while let command = queue.takeFirst() { card.obey(command) }
        #expect(card == wanted)
    }
}
