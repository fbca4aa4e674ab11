import DeviceIO
import ReaderKit
import Testing

@testable import SwipeDaemon

@Suite("Sound inputs and their sections")
struct AudioInputTests {
    private static func reader(
        _ name: String, _ device: String, playback: String = ""
    ) -> DaemonConfiguration.AudioReader {
        DaemonConfiguration.AudioReader(
            name: name, device: device, playback: playback, mixer: [], jack: .automatic, setup: AudioSetup())
    }

    private static func card(_ id: String, _ number: Int) -> DeviceIdentity {
        DeviceIdentity(
            readerID: "audio-\(id)", bus: .audio, node: "hw:CARD=\(id),DEV=0",
            syspath: "/sys/devices/pci/sound/card\(number)")
    }

    /// After a reload a driver that keeps to what was set makes room for another; one whose reader is gone does so anyway.
    @Test(
        "notices a driver that keeps what was set",
        arguments: [
            (.accepted(), false), (.refused(RequestRefusal(.busy, "not now")), true),
            (.refused(RequestRefusal(.gone, "the reader is gone")), false),
        ] as [(RequestOutcome, Bool)])
    func keptSettings(outcome: RequestOutcome, keeps: Bool) { #expect(outcome.keepsSettings == keeps) }

    /// The volume that counts is that of the card that plays.
    @Test(
        "raises the volume of the card that plays",
        arguments: [
            ("", "hw:CARD=PCH"), ("plughw:CARD=PCH,DEV=2", "hw:CARD=PCH"), ("hw:CARD=Dock", "hw:CARD=Dock"),
            ("plughw:1,0", "hw:CARD=1"), ("sysdefault:Dock", "hw:CARD=Dock"), ("default", "hw:CARD=PCH"),
            ("plug:dmix", "hw:CARD=PCH"), ("jack_out", "hw:CARD=PCH"),
        ])
    func volumeOfPlayback(playback: String, control: String) {
        let input = AudioInput(
            Self.reader("desk", "hw:CARD=PCH", playback: playback), Self.card("PCH", 0), stateFolder: "/tmp")
        #expect(input.sound.volume?.control == control)
        #expect(input.jack == .sensed(JackConfiguration(control: "hw:CARD=PCH"), card: input.device.syspath))
    }

    private static func configuration(
        _ readers: [DaemonConfiguration.AudioReader]
    ) async throws -> DaemonConfiguration {
        var configuration = try ConfigurationLoader.load(
            path: "/nonexistent/swiped.conf", isRequired: false)
        configuration.audioReaders = readers
        return configuration
    }

    /// One card under two names, and a name that no card has: whoever wrote them is told.
    @Test func sectionsWithoutAnInput() async throws {
        let readers = [
            Self.reader("desk", "hw:CARD=PCH"), Self.reader("again", "hw:0"),
            Self.reader("gone", "hw:CARD=Dock"),
        ]
        let configuration = try await Self.configuration(readers)
        let cards = [Self.card("PCH", 0), Self.card("Other", 1)]
        let unused = configuration.unusedAudioReaders(among: cards)
        #expect(unused.map { $0.reader.name } == ["again", "gone"])
        #expect(unused.first?.why == "[audio-reader desk] has that sound card")
        #expect(unused.last?.why.hasPrefix("no such sound card") == true)
        #expect(configuration.unusedAudioReaders(among: cards + [Self.card("Dock", 2)]).count == 1)
    }

    /// A reload takes nothing from a reader whose section did not change.
    @Test func aChangeConcernsItsOwnCard() async throws {
        let (desk, till) = (Self.reader("desk", "hw:CARD=PCH"), Self.reader("till", "hw:CARD=Dock"))
        var changed = till
        changed.setup.rate = 44_100
        let old = try await Self.configuration([desk, till])
        let new = try await Self.configuration([desk, changed])
        let fewer = try await Self.configuration([desk])
        let (first, second) = (Self.card("PCH", 0), Self.card("Dock", 1))
        #expect(!new.means(first, otherwiseThan: old) && new.means(second, otherwiseThan: old))
        #expect(!fewer.means(first, otherwiseThan: old) && fewer.means(second, otherwiseThan: old))
        #expect(old.means(second, otherwiseThan: fewer) && !old.means(second, otherwiseThan: old))
    }

    /// The same for cards of software.
    @Test func aChangeConcernsItsOwnVirtualCard() async throws {
        func virtual(_ name: String, rate: Int) -> DaemonConfiguration.VirtualAudio {
            DaemonConfiguration.VirtualAudio(
                name: name, source: "/tmp/\(name)", speed: 1, sink: "", jack: "", volume: "",
                setup: AudioSetup(rate: rate))
        }
        var old = try await Self.configuration([])
        old.virtualAudio = [virtual("desk", rate: 48_000), virtual("till", rate: 48_000)]
        var new = old
        new.virtualAudio[1].setup.rate = 44_100
        let cards = old.virtualReaders.map(\.identity)
        #expect(cards.map { new.means($0, otherwiseThan: old) } == [false, true])
        new.virtualAudio.remove(at: 0)
        #expect(cards.map { new.means($0, otherwiseThan: old) } == [true, true])
    }
}
