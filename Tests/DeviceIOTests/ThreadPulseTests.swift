import Testing

@testable import DeviceIO

@Suite("Threads' signs of life", .timeLimit(.minutes(5)))
struct ThreadPulseTests {
    /// Ends the thread of a test, and tells when it has ended.
    private final class Script: Sendable {
        let mayGoOn = Guarded(false)
        let hasEnded = Latch()

        func waitForLeave() { mayGoOn.wait { $0 ? () : nil } }
        func end() async {
            mayGoOn.change { $0 = true }
            await hasEnded.wait()
        }
    }

    @Test("a thread that does not come round is told, and no longer when it has ended")
    func hung() async throws {
        let script = Script()
        try DeviceThread.start("hung-for-test") { _ in
            script.waitForLeave()
            script.hasEnded.open()
        }
        await until { DeviceThreads.silent(for: .zero).contains("hung-for-test") }
        #expect(!DeviceThreads.silent(for: .seconds(3600)).contains("hung-for-test"))
        await script.end()
        await until { !DeviceThreads.silent(for: .zero).contains("hung-for-test") }
    }

    @Test("a thread that waits for work owes no sign until it works again")
    func resting() async throws {
        let script = Script()
        let rests = Latch()
        try DeviceThread.start("resting-for-test") { pulse in
            pulse.rest()
            rests.open()
            script.waitForLeave()
            script.hasEnded.open()
        }
        await rests.wait()
        #expect(!DeviceThreads.silent(for: .zero).contains("resting-for-test"))
        await script.end()
    }

    @Test("a thread that works again after a rest owes a sign again")
    func workingAgain() async throws {
        let script = Script()
        try DeviceThread.start("working-for-test") { pulse in
            pulse.rest()
            pulse.beat()
            script.waitForLeave()
            script.hasEnded.open()
        }
        await until { DeviceThreads.silent(for: .zero).contains("working-for-test") }
        await script.end()
    }

    /// The suite's time limit ends what never comes.
    private func until(_ condition: @Sendable () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }
}
