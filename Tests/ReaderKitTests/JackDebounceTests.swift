import ReaderKit
import Testing

@Suite struct JackDebounceTests {
    private static func at(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

    @Test func aPlugThatBouncesIsToldOnce() {
        var jack = JackDebounce()
        #expect(jack.report(true, at: Self.at(0)) == Self.at(200))
        #expect(jack.report(false, at: Self.at(20)) == nil)
        #expect(jack.settle(at: Self.at(200)) == nil)
        #expect(jack.report(true, at: Self.at(30)) == Self.at(230))
        // Told twice, it counts from the first time.
        #expect(jack.report(true, at: Self.at(40)) == Self.at(230))
        #expect(jack.settle(at: Self.at(229)) == nil)
        #expect(jack.settle(at: Self.at(230)) == true)
        #expect(jack.settle(at: Self.at(500)) == nil)
        #expect(jack.isPlugged)
    }

    @Test func aLooseContactIsNoUnplug() {
        var jack = JackDebounce(isPlugged: true)
        #expect(jack.report(false, at: Self.at(0)) == Self.at(200))
        #expect(jack.report(true, at: Self.at(199)) == nil)
        #expect(jack.settle(at: Self.at(400)) == nil)
        #expect(jack.isPlugged)
    }

    @Test func anUnplugIsTold() {
        var jack = JackDebounce(isPlugged: true, time: .milliseconds(50))
        #expect(jack.report(false, at: Self.at(1_000)) == Self.at(1_050))
        #expect(jack.settle(at: Self.at(1_060)) == false)
        #expect(!jack.isPlugged)
    }
}
