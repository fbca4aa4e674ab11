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
}
