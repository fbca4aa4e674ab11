import Glibc
import ReaderKit
import Testing

@testable import DeviceIO

/// The gain of a card's input, through libasound: what is set, what is put back, and when.
@Suite("The gain of an input", .timeLimit(.minutes(1)))
struct GainTests {
    @Test("is set, and put back, by a command or at the end", arguments: [true, false])
    func setAndPutBack(byCommand: Bool) async throws {
        let card = try DuplexCard()
        let keeper = GainKeeper(card.gainConfiguration(" 40  30 0 1\n"))
        #expect(await keeper.now() == GainKeeper.Gain(percent: 0, rangeDecibels: 40), "one side is off")
        #expect(await keeper.set(percent: 70) == nil)
        #expect(card.text(card.gain) == " 70  70 1 1\n")
        #expect(await keeper.now() == GainKeeper.Gain(percent: 70, rangeDecibels: 40))
        #expect(card.recordNames == ["gain-duplex.state"])
        #expect(await keeper.set(percent: 20) == nil)
        #expect(card.text(card.gain) == " 20  20 1 1\n")
        #expect(await (byCommand ? keeper.putBack() : keeper.end()) == nil)
        #expect(card.text(card.gain) == " 40  30 0 1\n", "what was there before the first of them")
        #expect(card.recordNames.isEmpty)
    }

    @Test("is left alone where nothing was set, and after the end")
    func untouched() async throws {
        let card = try DuplexCard()
        let keeper = GainKeeper(card.gainConfiguration(" 40  30 0 1\n"))
        #expect(await keeper.end() == nil)
        #expect(await keeper.set(percent: 70) == .closed)
        #expect(await keeper.end() == nil)
        #expect(card.text(card.gain) == " 40  30 0 1\n" && card.recordNames.isEmpty)
    }

    @Test("is refused where the card does not take it, and put back all the same")
    func refused() async throws {
        let card = try DuplexCard()
        let keeper = GainKeeper(card.gainConfiguration(" 40  40 1 1\n", loudest: 50))
        #expect(
            await keeper.set(percent: 70) == .system(errno: EIO, operation: "setting the gain of duplex"))
        #expect(await keeper.end() == nil)
        #expect(card.text(card.gain) == " 40  40 1 1\n" && card.recordNames.isEmpty)
    }

    @Test("is put back by the next run after a crash, apart from the volume")
    func crash() async throws {
        let card = try DuplexCard()
        let configuration = card.gainConfiguration(" 40  40 1 1\n")
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.raiseVolume))
        #expect(await GainKeeper(configuration).set(percent: 90) == nil)
        #expect(card.recordNames.sorted() == ["gain-duplex.state", "volume-duplex.state"])
        #expect(await VolumeRecords.restore(configuration) == nil)
        #expect(card.text(card.gain) == " 40  40 1 1\n")
        #expect(card.volumeText == "100 100 1 1\n" && card.recordNames == ["volume-duplex.state"])
        await sound.close()
        #expect(card.volumeText == " 40  40 1 1\n")
    }

    /// Of a microphone and a line only one is heard: the microphone's switch puts the line's off.
    @Test("gives the input back to a neighbour that it was taken from", arguments: [true, false])
    func neighbour(byNextRun: Bool) async throws {
        let card = try DuplexCard()
        let configuration = card.gainConfiguration(" 40  40 0 0\n", choice: "  1   1 1 1\n")
        let keeper = GainKeeper(configuration)
        #expect(await keeper.set(percent: 70) == nil)
        #expect(await keeper.set(percent: 60) == nil)
        #expect(card.text(card.gain) == " 60  60 1 1\n")
        #expect(card.text(card.choice) == "  0   0 1 1\n")
        #expect(await (byNextRun ? VolumeRecords.restore(configuration) : keeper.end()) == nil)
        #expect(card.text(card.gain) == " 40  40 0 0\n")
        #expect(card.text(card.choice) == "  1   1 1 1\n")
        #expect(card.recordNames.isEmpty)
    }

    @Test("says 0 and 100 percent only where the range ends")
    func ends() {
        for width in [1, 3, 31, 100, 255, 65_536] {
            for place in 0...width {
                let percent = MixerSide.capture.percent(of: place - 5, low: -5, high: width - 5)
                guard (percent == 0) == (place == 0), (percent == 100) == (place == width) else {
                    Issue.record("\(place) of \(width) is \(percent) %")
                    return
                }
            }
        }
        #expect(MixerSide.capture.percent(of: 254, low: 0, high: 255) == 99)
        #expect(MixerSide.capture.percent(of: 21, low: 0, high: 31) == 68)
        #expect(MixerSide.playback.percent(of: 254, low: 0, high: 255) == 99)
    }

    @Test("keeps its record while the card is gone")
    func gone() async throws {
        let card = try DuplexCard()
        let keeper = GainKeeper(card.gainConfiguration(" 40  40 1 1\n"))
        #expect(await keeper.set(percent: 90) == nil)
        unlink(card.gain)
        #expect(await keeper.end() != nil)
        #expect(card.recordNames == ["gain-duplex.state"])
        let again = card.gainConfiguration(" 90  90 1 1\n")
        #expect(await VolumeRecords.restore(again) == nil)
        #expect(card.text(card.gain) == " 40  40 1 1\n" && card.recordNames.isEmpty)
    }

    @Test("names what else there is where no element is the gain")
    func otherNames() async throws {
        let card = try DuplexCard()
        var configuration = card.gainConfiguration(" 40  40 1 1\n")
        configuration.elements = ["Line"]
        let failure = await GainKeeper(configuration).set(percent: 50)
        #expect(
            failure
                == .mixerMissing(
                    detail:
                        "duplex has no gain of the names that are looked for; gain_mixer may name one of: Mic"
                ))
    }

    /// The virtual card amplifies by what its mixer says: what the meter does with it is then real.
    @Test("makes what is captured louder", arguments: [(50, 1_000), (75, 3_162), (0, 100), (100, 10_000)])
    func louder(percent: Int, height: Int) async throws {
        let source = try SoundSource()
        let gain = source.folder + "/gain"
        let text = "\(percent) 0 1 1\n"
        let file = open(gain, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        _ = write(file, text, text.utf8.count)
        close(file)
        defer { unlink(gain) }
        let card = VirtualSoundCard(source: source.path, gain: gain)
        let capture = try await CaptureTransport.open(
            CaptureConfiguration(pcm: "loud", definition: card.definition(of: "loud"), rates: [48_000]))
        source.write((0..<9_600).flatMap { _ in [UInt8(1_000 & 0xFF), UInt8(1_000 >> 8)] })
        var highest = 0
        for _ in 0..<20 where highest == 0 {
            highest = Int(try await capture.receive().samples.max() ?? 0)
        }
        #expect(highest == height)
        await capture.close()
    }
}
