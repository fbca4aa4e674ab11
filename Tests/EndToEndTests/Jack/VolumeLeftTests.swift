import AudioReaders
import DeviceIO
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// A daemon that was killed with the volume raised: the next one puts it back, whatever it expects in the jack.
@Suite(.serialized, .timeLimit(.minutes(3))) struct VolumeLeftTests {
    private static let unasked = "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\n"
    private static let state = "[server]\nstate = {}\n"

    /// A daemon that has powered a UniMag up, whose volume is raised.
    private func powered() throws -> (desk: JackedDaemon, jack: SimulatedJack) {
        let desk = try JackedDaemon(Self.unasked, more: Self.state)
        return (desk, try desk.ready(with: .uniMag(AcousticProfile.uniMagProfiles[0])))
    }

    /// What a daemon left that was killed while the tone played.
    private func killed() throws -> JackedDaemon {
        let (desk, jack) = try powered()
        #expect(desk.volume == JackedDaemon.fullVolume && !desk.isSinkFree)
        kill(desk.daemon.process.processIdentifier, SIGKILL)
        desk.daemon.process.waitUntilExit()
        jack.stop()
        #expect(desk.isSinkFree, "a tone that nobody stops")
        #expect(desk.volume == JackedDaemon.fullVolume && records(of: desk).count == 1)
        return desk
    }

    private func records(of desk: JackedDaemon) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: desk.daemon.folder.path)) ?? []
        return names.filter { $0.hasPrefix("volume-") }
    }

    /// A virtual card's mixer is known with the card: it is put back when the card comes, plugged or not.
    @Test(
        "puts it back with the card",
        arguments: ["unimag\nactivate_on_attach = no", "passive", "ips", "none"])
    func putBack(type: String) throws {
        let desk = try killed()
        let text = JackedDaemon.configuration("type = \(type)\n", more: Self.state)
        let next = try DaemonUnderTest(text.replacing("{}", with: desk.daemon.folder.path))
        _ = try next.connect()
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(next.terminate().status == 0)
        #expect(records(of: desk) == [])
    }

    /// What the daemon does first of all, whether or not the card is still given to a reader.
    @Test func putsBackAtTheStart() throws {
        let desk = try killed()
        let name = try #require(records(of: desk).first)
        let record = try String(contentsOfFile: desk.path(name), encoding: .utf8)
        let control = try #require(record.firstMatch(of: /^control ([^\n]+)\n/)).1
        // The card as a real one is known to libasound: by its name alone.
        let plugin = BuiltProgram.path("libasound_module_pcm_swiped.so").path
        let card = VirtualSoundCard(source: desk.path("sound"), plugin: plugin)
        let definition = card.mixerDefinition(of: String(control), volume: desk.path("volume"))
        try Data(definition.utf8).write(to: desk.daemon.folder.appending(path: "asound.conf"))
        let next = try DaemonUnderTest(
            Self.state.replacing("{}", with: desk.daemon.folder.path),
            environment: ["ALSA_CONFIG_PATH": desk.path("asound.conf")])
        _ = try next.connect()
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(next.terminate().status == 0)
        #expect(next.logged.contains("is put back"))
        #expect(records(of: desk) == [])
    }

    /// The volume cannot be put back when the reader goes: whoever reads the log hears of it.
    @Test func itStaysRaised() throws {
        let (desk, jack) = try powered()
        defer { jack.stop() }
        unlink(desk.path("volume"))
        try desk.plug(false)
        _ = try desk.events(through: #""event":"disconnect""#)
        #expect(desk.daemon.terminate().status == 0)
        #expect(desk.daemon.logged.contains("the volume could not be put back"))
        #expect(records(of: desk).count == 1)
    }

    /// Its record may be removed, by whoever tidies up: what the daemon raised it still puts back itself.
    @Test func theRecordIsRemovedMeanwhile() throws {
        let (desk, jack) = try powered()
        defer { jack.stop() }
        for name in records(of: desk) { unlink(desk.path(name)) }
        try desk.plug(false)
        _ = try desk.events(through: #""event":"disconnect""#)
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)
    }
}
