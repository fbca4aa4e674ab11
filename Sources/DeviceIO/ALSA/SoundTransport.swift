package import ReaderKit

/// A sound card in both directions: what the head or the reader says comes in as samples, a tone and bursts go out.
package final class SoundTransport: ReaderTransport {
    private let capture: CaptureTransport
    private let player: SoundPlayer

    /// Opens and starts the capture. Playback and volume are opened by the first command that needs them. A volume that an
    /// earlier run left raised is put back, but for that of a card that cannot be opened: whoever has it may need it.
    ///
    /// - Parameters:
    ///   - listens: whether the capture is opened now; else by ``SoundCommand/listen``.
    ///   - microphone: hears when the capture is open, and when it is not any longer. Must not block.
    ///   - volumeStays: hears why the volume is still raised when the transport has closed. Must not block.
    package static func open(
        _ configuration: SoundConfiguration, listens: Bool = true,
        microphone: @escaping @Sendable (Bool) -> Void = { _ in },
        volumeStays: @escaping @Sendable (DeviceError) -> Void = { _ in }
    ) async throws(DeviceError) -> SoundTransport {
        let volume = configuration.volume
        if !listens, let volume { await VolumeRecords.restore(volume) }
        let capture = try await CaptureTransport.open(
            configuration.capture, volume: volume, listens: listens, restoring: listens ? volume : nil,
            microphone: microphone)
        do throws(DeviceError) {
            let player = try SoundPlayer(configuration, failed: capture.fail, volumeStays: volumeStays)
            return SoundTransport(capture, player)
        } catch {
            await capture.close()
            throw error
        }
    }

    private init(_ capture: CaptureTransport, _ player: SoundPlayer) {
        self.capture = capture
        self.player = player
    }

    /// What capture agreed on; for `status`.
    package var format: CaptureFormat? { capture.format }
    /// How many times the card had nothing to play.
    package var underruns: Int { player.underruns }

    package func receive() async throws(DeviceError) -> SampleBlock { try await capture.receive() }

    package var arrivedInputs: Int { capture.arrivedInputs }

    /// Throws ``DeviceError/refused`` for what is not sound.
    package func send(_ command: TransportCommand) async throws(DeviceError) {
        switch command {
        case .sound(.listen): try await capture.listen()
        case .sound(.stopListening): capture.stopListening()
        case .sound(let command): try await player.perform(command)
        case .feature, .setFeature, .getFeature, .output, .write: throw .refused
        }
    }

    /// Silence first, then the volume, then the capture.
    package func close() async {
        await player.close()
        await capture.close()
    }
}
