import Glibc
import ReaderKit
import Testing

@testable import DeviceIO

@Suite("A tone, bursts and the volume through libasound", .timeLimit(.minutes(2)), .serialized)
struct SoundTests {
    private static let tone = PowerTone(frequency: 6_000, waveform: .square, channels: .opposed)

    /// The mean amplitude at the tone's frequency, of full scale, and how much of the other frequencies there is.
    private func amplitude(_ mono: [Int16], at frequency: Double, rate: Double) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in mono.enumerated() {
            let angle = 2 * Double.pi * frequency * Double(index) / rate
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(mono.count) / 32_768
    }

    private func sides(_ stereo: [Int16]) -> (left: [Int16], right: [Int16]) {
        let frames = stride(from: 0, to: stereo.count - 1, by: 2)
        return (frames.map { stereo[$0] }, frames.map { stereo[$0 + 1] })
    }

    @Test(
        "plays each tone on the channels that it names, at each rate",
        arguments: PowerTone.Channels.allCases, [44_100, 48_000])
    func tones(channels: PowerTone.Channels, rate: Int) async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration(rate: rate))
        for waveform in PowerTone.Waveform.allCases {
            let tone = PowerTone(frequency: 6_000, waveform: waveform, channels: channels, level: 0.5)
            try await sound.send(.sound(.startTone(tone)))
            let (left, right) = sides(await card.played(4_410))
            // The first harmonic of a square is 4/π of its level.
            let level = waveform == .sine ? 0.5 : 0.5 * 4 / .pi
            let heard = (
                amplitude(left, at: 6_000, rate: Double(rate)),
                amplitude(right, at: 6_000, rate: Double(rate))
            )
            #expect(abs(heard.0 - (channels == .right ? 0 : level)) < 0.06)
            #expect(abs(heard.1 - (channels == .left ? 0 : level)) < 0.06)
            let sums = zip(left, right).map { abs(Int($0) + Int($1)) }
            if channels == .opposed { #expect(sums.allSatisfy { $0 <= 1 }) }
            if channels == .both { #expect(left == right) }
            try await sound.send(.sound(.stopTone))
            card.forget()
        }
        await sound.close()
        #expect(card.unread == 0)
    }

    /// Of a missing card only its playback is left out; a capture that is not there is gone.
    @Test("a card that is not there is gone to who reads, and does not play to who plays")
    func missingCard() {
        let name = "swiped_not_defined"
        #expect(throws: DeviceError.gone) { _ = try PCMHandle(name, definition: nil, .capture) }
        #expect(throws: DeviceError.playbackMissing(detail: "\(name): not defined, or not for playback")) {
            _ = try PCMHandle(name, definition: nil, .playback)
        }
    }

    @Test("puts a burst into the tone and goes on with the tone")
    func burst() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.startTone(Self.tone)))
        let burst = (0..<960).map { Int16(1_000 + $0) }
        try await sound.send(.sound(.play(burst, rate: 48_000)))
        let (left, right) = sides(await card.played(24_000))
        let start = try #require(left.firstIndex(of: 1_000))
        #expect(Array(left[start..<(start + 960)]) == burst)
        #expect(Array(right[start..<(start + 960)]) == burst.map { -$0 })
        let after = Array(left[(start + 960)..<(start + 960 + 4_800)])
        #expect(amplitude(after, at: 6_000, rate: 48_000) > 1)
        await sound.close()
    }

    @Test("plays a burst alone, converted where the card has another rate, and gives the card back")
    func aloneAndConverted() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        let ramp = (0..<2_205).map { Int16($0 * 10) }
        try await sound.send(.sound(.play(ramp, rate: 44_100)))
        let (left, right) = sides(await card.played(9_000))
        #expect(left == right)
        #expect(left.prefix(2_400).enumerated().allSatisfy { abs(Double($1) - Double($0) * 9.1875) <= 1 })
        #expect(left.dropFirst(2_400).allSatisfy { $0 == 0 })
        // Another program may have the card now: it was given back.
        let other = try await SoundTransport.open(card.configuration())
        var isFree = false
        while !isFree {
            do throws(DeviceError) {
                try await other.send(.sound(.startTone(Self.tone)))
                isFree = true
            } catch { #expect(error == .busy(detail: DuplexCard.name)) }
        }
        await other.close()
        await sound.close()
    }

    @Test("goes on after an underrun, and counts it")
    func underrun() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration(options: ["underrun_at": "9600"]))
        try await sound.send(.sound(.startTone(Self.tone)))
        let (left, _) = sides(await card.played(48_000))
        #expect(amplitude(left.suffix(9_600).map { $0 }, at: 6_000, rate: 48_000) > 1)
        while sound.underruns == 0 { _ = await card.played(960) }
        await sound.close()
    }

    @Test("is silent at once when closed in mid-tone")
    func closing() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.startTone(Self.tone)))
        _ = await card.played(4_800)
        await sound.close()
        card.forget()
        await #expect(throws: DeviceError.closed) { try await sound.send(.sound(.startTone(Self.tone))) }
        await #expect(throws: DeviceError.closed) { _ = try await sound.receive() }
        #expect(card.unread == 0)
    }

    @Test("ends with `gone` when the card is pulled out in mid-tone")
    func unplug() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.startTone(Self.tone)))
        _ = await card.played(4_800)
        unlink(card.sink)
        card.source.unplug()
        await #expect(throws: DeviceError.gone) { while true { _ = try await sound.receive() } }
        await sound.close()
    }

    @Test("names what a card does not have")
    func missing() async throws {
        let card = try DuplexCard()
        var silent = card.configuration(plays: false)
        silent.volume = nil
        let sound = try await SoundTransport.open(silent)
        await #expect(
            throws: DeviceError.playbackMissing(detail: "duplex: not defined, or not for playback")
        ) { try await sound.send(.sound(.startTone(Self.tone))) }
        await #expect(throws: DeviceError.mixerMissing(detail: "no mixer is configured")) {
            try await sound.send(.sound(.raiseVolume))
        }
        await #expect(throws: DeviceError.refused) { try await sound.send(.getFeature()) }
        #expect(try await sound.receive().playbackVolume == nil)
        try await sound.send(.sound(.restoreVolume))
        await sound.close()
        var bare = card.configuration()
        bare.volume?.definition = "ctl_type.swiped { }"
        bare.playback = nil
        let other = try await SoundTransport.open(bare)
        await #expect(throws: DeviceError.mixerMissing(detail: "duplex has no mixer")) {
            try await other.send(.sound(.raiseVolume))
        }
        await #expect(throws: DeviceError.playbackMissing(detail: "no playback is configured")) {
            try await other.send(.sound(.play([1], rate: 48_000)))
        }
        await other.close()
    }

    @Test("says that another program plays")
    func busy() async throws {
        let card = try DuplexCard()
        let first = try await SoundTransport.open(card.configuration())
        try await first.send(.sound(.startTone(Self.tone)))
        let second = try await SoundTransport.open(card.configuration())
        await #expect(throws: DeviceError.busy(detail: DuplexCard.name)) {
            try await second.send(.sound(.startTone(Self.tone)))
        }
        await first.close()
        try await second.send(.sound(.startTone(Self.tone)))
        await second.close()
    }

    @Test("refuses more bursts than may wait, and one that is too long")
    func limits() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        let second = [Int16](repeating: 1, count: 48_000)
        for _ in 0..<ToneSynthesis.maximumBursts { try await sound.send(.sound(.play(second, rate: 48_000))) }
        await #expect(throws: DeviceError.busy(detail: "8 bursts wait to be played")) {
            try await sound.send(.sound(.play(second, rate: 48_000)))
        }
        await #expect(throws: DeviceError.unsupported(detail: "a burst of more than 8 s")) {
            try await sound.send(.sound(.play(second, rate: 4_000)))
        }
        await sound.close()
    }

    @Test("raises the volume, tells of it, and puts it back", arguments: [true, false])
    func volume(byCommand: Bool) async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        #expect(try await sound.receive().playbackVolume == 40)
        try await sound.send(.sound(.raiseVolume))
        #expect(card.volumeText == "100 100 1 1\n")
        #expect(card.recordNames == ["volume-duplex.state"])
        while try await sound.receive().playbackVolume != 100 {}
        if byCommand {
            try await sound.send(.sound(.restoreVolume))
            while try await sound.receive().playbackVolume != 40 {}
        }
        await sound.close()
        #expect(card.volumeText == " 40  40 1 1\n")
        #expect(card.recordNames.isEmpty)
    }

    /// Given up and wanted again before the card's thread has looked: what comes then was captured since.
    @Test("opens the card anew where it is wanted again at once")
    func listensAnew() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        for _ in 0..<3 {
            while try await sound.receive().firstFrame == 0 {}
            try await sound.send(.sound(.stopListening))
            try await sound.send(.sound(.listen))
            // More than can wait from before.
            var isAnew = false
            for _ in 0..<(CaptureTransport.queuedBlocks + 8) where !isAnew {
                isAnew = try await sound.receive().firstFrame == 0
            }
            #expect(isAnew)
        }
        await sound.close()
    }

    @Test("switches on what was off, and off again")
    func switchedOff() async throws {
        let card = try DuplexCard()
        card.setVolume(" 70  60 0 1\n")
        let sound = try await SoundTransport.open(card.configuration())
        #expect(try await sound.receive().playbackVolume == 0)
        try await sound.send(.sound(.raiseVolume))
        #expect(card.volumeText == "100 100 1 1\n")
        await sound.close()
        #expect(card.volumeText == " 70  60 0 1\n")
    }

    @Test("says so where the volume does not go up, and puts it back all the same")
    func tooLow() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration(loudest: 80))
        await #expect(throws: DeviceError.volumeTooLow) { try await sound.send(.sound(.raiseVolume)) }
        await sound.close()
        #expect(card.volumeText == " 40  40 1 1\n")
        #expect(card.recordNames.isEmpty)
    }

    @Test("keeps the record while the mixer is gone, and puts the volume back when the card is used again")
    func recordsOutliveTheCard() async throws {
        let card = try DuplexCard()
        let failures = Guarded<[DeviceError]>([])
        let sound = try await SoundTransport.open(
            card.configuration(), volumeStays: { failure in failures.change { $0.append(failure) } })
        try await sound.send(.sound(.raiseVolume))
        unlink(card.volume)
        await sound.close()
        #expect(failures.change { $0.count } == 1, "whoever opened it hears that the volume stays up")
        #expect(card.recordNames == ["volume-duplex.state"])
        card.setVolume("100 100 1 1\n")
        let again = try await SoundTransport.open(card.configuration())
        #expect(card.volumeText == " 40  40 1 1\n")
        #expect(card.recordNames.isEmpty)
        await again.close()
    }

    /// What the card makes of it decides, not that it was told: a mixer may refuse, or another program hold the volume.
    @Test("keeps the record until the old volume holds")
    func restoreIsRefused() async throws {
        let card = try DuplexCard()
        card.setVolume(" 90  90 1 1\n")
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.raiseVolume))
        unlink(card.volume)
        await sound.close()
        card.setVolume("100 100 1 1\n")
        let held = try #require(card.configuration(loudest: 50).volume)
        let failure = await VolumeRecords.restore(held)
        #expect(failure == .system(errno: EIO, operation: "setting the old volume of duplex"))
        #expect(card.volumeText == " 50  50 1 1\n" && card.recordNames == ["volume-duplex.state"])
        let again = try await SoundTransport.open(card.configuration())
        #expect(card.volumeText == " 90  90 1 1\n")
        #expect(card.recordNames.isEmpty)
        await again.close()
    }

    /// A probe of a card that a running daemon has open and raised: it ends as `busy` does, and takes nothing away.
    @Test("leaves the volume of a card that it cannot open", arguments: [true, false])
    func anothersVolume(plays: Bool) async throws {
        let card = try DuplexCard()
        let running = try await SoundTransport.open(card.configuration())
        try await running.send(.sound(.raiseVolume))
        var kept = card.configuration()
        kept.capture.definition = "pcm_type.swiped { }"
        await #expect(throws: DeviceError.self) {
            if plays { _ = try await SoundTransport.open(kept) }
            if !plays { _ = try await CaptureTransport.open(kept.capture, restoring: kept.volume) }
        }
        #expect(card.volumeText == "100 100 1 1\n" && card.recordNames == ["volume-duplex.state"])
        await running.close()
        #expect(card.volumeText == " 40  40 1 1\n")
    }

    /// What is put back with the opening of the card is what its first block tells.
    @Test("tells of the volume that it has put back")
    func firstBlockAfterARestore() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.raiseVolume))
        unlink(card.volume)
        await sound.close()
        card.setVolume("100 100 1 1\n")
        let again = try await SoundTransport.open(card.configuration())
        #expect(try await again.receive().playbackVolume == 40)
        await again.close()
    }

    /// Whoever tidies the state folder takes nothing away from the running daemon.
    @Test("puts the volume back although its record was removed", arguments: [true, false])
    func recordRemoved(byCommand: Bool) async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.raiseVolume))
        for name in card.recordNames { unlink(card.records + "/" + name) }
        if byCommand { try await sound.send(.sound(.restoreVolume)) }
        if !byCommand { await sound.close() }
        #expect(card.volumeText == " 40  40 1 1\n")
        await sound.close()
    }

    /// An earlier run wrote down other elements, and they could not be put back: what is raised now is written down too.
    @Test("adds what it raises to a record that is there")
    func recordOfOtherElements() async throws {
        let card = try DuplexCard()
        let earlier = "control duplex\nelement 0 Speaker\nvolumes 7 7\nswitches on on\n"
        let path = card.records + "/volume-duplex.state"
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        _ = write(file, earlier, earlier.utf8.count)
        close(file)
        let sound = try await SoundTransport.open(card.configuration())
        #expect(card.text(path) == earlier, "a card without that element leaves the record")
        try await sound.send(.sound(.raiseVolume))
        #expect(card.text(path).hasPrefix(earlier) && card.text(path).contains("volumes 40 40\n"))
        await sound.close()
        #expect(card.volumeText == " 40  40 1 1\n")
        #expect(card.recordNames.isEmpty)
    }

    /// The mixer fails when the volume is to be put back: the command says so, and the end of the transport tries again.
    @Test("tries again to put the volume back")
    func restoreFails() async throws {
        let card = try DuplexCard()
        let sound = try await SoundTransport.open(card.configuration())
        try await sound.send(.sound(.raiseVolume))
        unlink(card.volume)
        await #expect(throws: DeviceError.self) { try await sound.send(.sound(.restoreVolume)) }
        card.setVolume("100 100 1 1\n")
        await sound.close()
        #expect(card.volumeText == " 40  40 1 1\n")
        #expect(card.recordNames.isEmpty)
    }

    @Test(
        "takes a record whole or not at all",
        arguments: [
            "", "control x", "control x\n", "control x\nelement 0 Headphone\n",
            "control x\nelement 0 Headphone\nvolumes 40 4O\nswitches on on\n",
            "control x\nelement 0 Headphone\nvolumes 40 40\nswitches on onn\n",
            "control x\nvolumes 40\n", "control x\nelement Headphone\nvolumes 1\n",
            "element 0 Headphone\nvolumes 1\n",
            "control x\nelement 0 Headphone\nvolumes 40 40\nswitches on on",
        ])
    func brokenRecords(text: String) { #expect(VolumeRecord(text) == nil) }

    @Test func recordsRoundTrip() {
        let record = VolumeRecord(
            control: "hw:CARD=PCH",
            settings: [
                VolumeSetting(name: "Line Out", index: 1, volumes: [3, -5], switches: [true, false]),
                VolumeSetting(name: "PCM", index: 0, volumes: [255], switches: []),
            ])
        #expect(VolumeRecord(record.text) == record)
    }
}
