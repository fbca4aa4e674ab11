import DeviceIO
import ReaderKit
import SwipeProtocol

/// A sound input that the configuration gives to a reader: the parts of the card that are used, and what is expected.
struct AudioInput: Sendable {
    /// The section's name, under which a kind that was found out is remembered.
    var name: String
    var device: DeviceIdentity
    var setup: AudioSetup
    var jack: JackSource
    /// What is asked of the card.
    var sound: SoundConfiguration
    /// The input's gain; nil: the card has none.
    var gain: VolumeConfiguration?

    /// The transport for a kind of reader: a bare head needs no more of the card than its capture. A volume that an
    /// earlier transport could not put back is put back when the card is opened, by whichever driver.
    ///
    /// - Parameters:
    ///   - listens: whether the card's capture is opened now; else the driver says when.
    ///   - microphone: called when the capture opens, and when it closes.
    ///   - volumeStays: called with the reason where the volume is still raised after the transport has closed.
    func open(
        for type: AudioReaderType, listens: Bool, microphone: @escaping @Sendable (Bool) -> Void,
        volumeStays: @escaping @Sendable (DeviceError) -> Void
    ) async throws(DeviceError) -> any ReaderTransport<SampleBlock> {
        guard type.isSpokenTo else {
            return try await CaptureTransport.open(
                sound.capture, restoring: sound.volume, microphone: microphone)
        }
        return try await SoundTransport.open(
            sound(for: type), listens: listens, microphone: microphone, volumeStays: volumeStays)
    }

    /// What is asked of the card for that type of reader: the rates of its profile first, where one is given.
    func sound(for type: AudioReaderType) -> SoundConfiguration {
        guard !device.isSimulated, let profile = setup.options.firstProfile(for: type) else { return sound }
        var sound = sound
        sound.capture.rates.insert(profile.captureRate, at: 0)
        sound.playback?.rates.insert(profile.playbackRate, at: 0)
        return sound
    }
}

extension AudioInput {
    /// A real card's input.
    init(_ reader: DaemonConfiguration.AudioReader, _ device: DeviceIdentity, stateFolder: String) {
        let card = "hw:CARD=" + SoundCardName(device.node).card
        let player = SoundCardName(reader.playback).card
        let rates = [reader.setup.rate, 48_000, 44_100]
        let jack: JackSource =
            switch reader.jack {
            case .automatic: .sensed(JackConfiguration(control: card), card: device.syspath)
            case .named(let name): .sensed(JackConfiguration(control: card, name: name), card: device.syspath)
            case .none: .none
            }
        self.init(
            name: reader.name, device: device, setup: reader.setup, jack: jack,
            sound: SoundConfiguration(
                capture: CaptureConfiguration(pcm: reader.device, rates: rates, heads: reader.setup.heads),
                playback: PlaybackConfiguration(
                    pcm: reader.playback.isEmpty ? reader.device : reader.playback, rates: rates),
                volume: VolumeConfiguration(
                    control: player.isEmpty ? card : "hw:CARD=" + player, elements: reader.mixer,
                    records: stateFolder)),
            gain: VolumeConfiguration(
                control: card, elements: reader.gainMixer, records: stateFolder, side: .capture))
    }

    /// A virtual card's: everything from libasound on is the real code.
    init(_ reader: DaemonConfiguration.VirtualAudio, _ device: DeviceIdentity, stateFolder: String) {
        let card = VirtualSoundCard(
            source: reader.source, sink: reader.sink.isEmpty ? nil : reader.sink, speed: reader.speed,
            gain: reader.microphone.isEmpty ? nil : reader.microphone,
            options: reader.setup.heads > 1 ? ["heads": "\(reader.setup.heads)"] : [:])
        let definition = card.definition(of: device.node)
        let jack = device.node + "_jack", mixer = device.node + "_mixer"
        let jackCard = VirtualSoundCard(source: reader.jack)
        self.init(
            name: reader.name, device: device, setup: reader.setup,
            jack: reader.jack.isEmpty
                ? .none
                : .sensed(
                    JackConfiguration(control: jack, definition: jackCard.jackDefinition(of: jack)),
                    card: device.syspath),
            sound: SoundConfiguration(
                capture: CaptureConfiguration(
                    pcm: device.node, definition: definition, rates: [reader.setup.rate],
                    heads: reader.setup.heads),
                playback: reader.sink.isEmpty
                    ? nil
                    : PlaybackConfiguration(
                        pcm: device.node, definition: definition, rates: [reader.setup.rate]),
                volume: reader.volume.isEmpty
                    ? nil
                    : VolumeConfiguration(
                        control: mixer, definition: card.mixerDefinition(of: mixer, volume: reader.volume),
                        records: stateFolder)),
            gain: card.gain.map { gain in
                VolumeConfiguration(
                    control: mixer, definition: card.gainDefinition(of: mixer, gain: gain),
                    records: stateFolder, side: .capture)
            })
    }
}

/// How the daemon knows that something is in the jack of a sound input.
enum JackSource: Sendable, Hashable {
    /// It cannot know: something counts as in the jack for as long as the card is there.
    case none
    /// A control of the card, else an input switch: on the card, or of the configured name.
    case sensed(JackConfiguration, card: String)
}

extension AudioReaderType {
    /// Whether tones are played to it, so that an acoustic profile matters.
    var isSpokenTo: Bool {
        switch self {
        case .unimag, .ips, .ipsEnterprise, .autodetect: true
        case .passive, .none: false
        }
    }

    /// Whether something may come from it although nothing was played to it.
    var speaksUnasked: Bool {
        switch self {
        case .passive, .ips, .ipsEnterprise, .autodetect: true
        case .unimag, .none: false
        }
    }
}
