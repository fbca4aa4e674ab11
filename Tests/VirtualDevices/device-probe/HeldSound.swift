import DeviceIO
import ReaderKit

/// Raises the volume of a virtual card, plays a tone, and does so until it is killed:
///
///     device-probe hold-sound SOURCE SINK VOLUME RECORDS
struct HeldSound {
    private static let name = "duplex"

    private let configuration: SoundConfiguration

    init?(_ arguments: [String]) {
        guard arguments.count == 6, arguments[1] == "hold-sound" else { return nil }
        let card = VirtualSoundCard(source: arguments[2], sink: arguments[3])
        let definition = card.definition(of: Self.name)
        configuration = SoundConfiguration(
            capture: CaptureConfiguration(pcm: Self.name, definition: definition),
            playback: PlaybackConfiguration(pcm: Self.name, definition: definition),
            volume: VolumeConfiguration(
                control: Self.name, definition: card.mixerDefinition(of: Self.name, volume: arguments[4]),
                records: arguments[5]))
    }

    func hold() async throws(DeviceError) {
        let sound = try await SoundTransport.open(configuration)
        try await sound.send(.sound(.raiseVolume))
        let tone = PowerTone(frequency: 6_000, waveform: .square, channels: .opposed)
        try await sound.send(.sound(.startTone(tone)))
        while true { _ = try await sound.receive() }
    }
}
