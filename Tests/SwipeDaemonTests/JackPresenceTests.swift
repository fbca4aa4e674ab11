import DeviceIO
import Testing

@testable import SwipeDaemon

@Suite("What is in the jacks of one card")
struct JackPresenceTests {
    private static func presence(_ states: [(String, Bool)]) -> JackPresence {
        var presence = JackPresence()
        for (name, isIn) in states { presence.heard(JackState(name: name, isIn: isIn)) }
        return presence
    }

    @Test(
        "something in any of them counts",
        arguments: [
            ([], nil, false), ([("Mic Jack", false)], "Mic Jack", false),
            ([("Mic Jack", false), ("Headphone Jack", true)], "Headphone Jack", true),
            ([("Mic Jack", true), ("Headphone Jack", true)], "Headphone Jack", true),
            ([("Mic Jack", true), ("Mic Jack", false)], "Mic Jack", false),
        ] as [([(String, Bool)], String?, Bool)])
    func counts(states: [(String, Bool)], name: String?, isIn: Bool) {
        let presence = Self.presence(states)
        #expect(presence.name == name && presence.isIn == isIn)
    }

    /// A control goes with its driver, and one of another name takes its place: the old one says nothing any longer.
    @Test func aControlThatIsGoneIsForgotten() {
        var presence = Self.presence([("Mic Jack", true), ("Headphone Jack", false)])
        presence.lost()
        // Until something tells again, nothing is known to have changed.
        #expect(presence.isIn && presence.name == "Mic Jack")
        presence.heard(JackState(name: "sof-hda-dsp Mic", isIn: false))
        #expect(!presence.isIn && presence.name == "sof-hda-dsp Mic")
        presence.heard(JackState(name: "sof-hda-dsp Headphone", isIn: true))
        #expect(presence.isIn)
    }

    /// More jacks than a card has are not kept.
    @Test func isBounded() {
        let presence = Self.presence((0..<100).map { ("Jack \($0)", $0 == 99) })
        #expect(!presence.isIn)
    }
}
