import AudioReaders
import ReaderKit
import Testing

/// A request to power up, where the question about it is open or about to be asked.
@Suite struct UniMagAnswerTests {
    private typealias Bench = LifeBench<UniMagDriver>

    /// To ask for the power-up while somebody is asked whether it may be is to say yes: at once where the question is open,
    /// and before it where it is about to come.
    @Test("takes activate for a yes", arguments: [UniMagState.checkingVolume, .prompting], [true, false])
    func activateIsTheAnswer(state: UniMagState, raises: Bool) {
        var options = ReaderOptions()
        options.volumeToMax = raises
        var bench = Bench(options)
        bench.volume = raises ? 40 : 100
        bench.start()
        if state == .prompting { bench.quiet() }
        #expect(bench.driver.state == state)
        #expect(bench.ask(.activate) == .accepted())
        for _ in 0..<10 where bench.driver.state != .poweringUp { bench.quiet() }
        #expect(bench.driver.state == .poweringUp && bench.prompt?.kind == .initializing)
        let prompts = UniMagBench.names(bench.takeEvents()).filter {
            $0.hasPrefix("prompt ") && $0 != "prompt initializing"
        }
        #expect(prompts.contains("prompt closed accepted") == (state == .prompting))
        #expect(prompts.contains("prompt closed declined") == false)
        #expect((state == .checkingVolume) == prompts.isEmpty)
        // It is answered: the next one is one too many.
        #expect(Given.refusal(bench.ask(.activate)) == .busy)
    }

    /// Who asks twice before the question comes has not answered it.
    @Test func activateTwiceIsNoAnswer() {
        var bench = Bench(Bench.options(for: .attached))
        bench.start()
        #expect(bench.ask(.activate) == .accepted())
        #expect(bench.driver.state == .checkingVolume)
        #expect(Given.refusal(bench.ask(.activate)) == .busy)
        bench.quiet()
        #expect(bench.driver.state == .prompting)
    }
}
