import ReaderKit
import Testing

@testable import DeviceIO

@Suite("Jacks through ALSA controls", .timeLimit(.minutes(1)))
struct JackTests {
    private func monitor(_ source: SoundSource) throws -> JackMonitor {
        let definition = VirtualSoundCard(source: source.path).jackDefinition(of: "card")
        return try JackMonitor(JackConfiguration(control: "card", definition: definition))
    }

    @Test("the state at the start, then every change, none twice")
    func changes() async throws {
        let source = try SoundSource()
        let monitor = try monitor(source)
        #expect(try await monitor.next() == JackState(name: "Mic Jack", isIn: false))
        for isIn in [true, false, true, false] {
            source.write(Array((isIn ? "111" : "00").utf8))
            #expect(try await monitor.next() == JackState(name: "Mic Jack", isIn: isIn))
        }
        await monitor.close()
        await #expect(throws: DeviceError.closed) { _ = try await monitor.next() }
    }

    @Test("a card that is not there is gone")
    func gone() async throws {
        let monitor = try JackMonitor(JackConfiguration(control: "hw:CARD=nobody"))
        await #expect(throws: DeviceError.gone) { _ = try await monitor.next() }
        await monitor.close()
    }
}

@Suite("Sleep of the machine")
struct SuspendClockTests {
    @Test("is noticed once, by the clock that counts it")
    func sleep() {
        var clock = SuspendClock()
        let second: Int64 = 1_000_000_000
        let readings: [(Int64, Int64)] = [(5, 9), (8, 12), (9, 100), (10, 101)]
        let slept = readings.map { clock.hasSlept(awake: $0 * second, all: $1 * second) }
        #expect(slept == [false, false, true, false])
    }
}
