import AudioReaders
import DeviceIO
import ReaderKit

/// Tries one profile after the other on a sound card, and tells what was heard as lines of a report.
///
/// How no card data gets into it: samples are measured block by block and forgotten (`SoundMeasure`), bytes become kinds
/// of bytes before they are kept (`ByteShape`), and a burst as long as a swipe is only counted.
struct AudioProbe {
    private static let silence = 0.5
    private static let answerTime = 1.5
    /// A question is asked so many times: the first may come before a reader is up.
    private static let questions = 2

    let card: String
    let definition: String?
    let records: String
    let raisesVolume: Bool

    static func heading(card: String) -> [String] {
        [
            "swipectl \(SwipeCtl.version) audio probe of \(card)",
            "Levels are of full scale. Of each byte its kind is shown: P preamble, S 02, E 03, A 06, R 15 to 18, d a digit,",
            "t other text, x anything else, ! received wrong. Neither samples nor values are in this report.",
        ]
    }

    func lines(_ profile: AcousticProfile) async throws -> [String] {
        do throws(DeviceError) {
            let sound = try await SoundTransport.open(
                configuration(profile),
                volumeStays: { [card] in
                    Output.error(
                        "the volume of \(card.printable) could not be put back: \(Self.words($0, card))\n")
                })
            let result = await listen(sound, profile)
            await sound.close()
            EndingSignal.endIfWanted()
            return try result.get()
        } catch {
            throw CommandFailure(.failure, Self.words(error, card))
        }
    }

    private func listen(_ sound: SoundTransport, _ profile: AcousticProfile) async -> Result<
        [String], DeviceError
    > {
        do throws(DeviceError) {
            let rate = sound.format?.sampleRate ?? profile.captureRate
            var listening = ProbeListening(profile: profile, sampleRate: rate)
            var notes: [String] = []
            try await hear(sound, &listening, .silence, Self.silence, rate)
            if raisesVolume { notes += try await raise(sound) }
            try await sound.send(.sound(.startTone(profile.tone)))
            try await hear(sound, &listening, .tone, profile.powerUp / .seconds(1), rate)
            if profile.power == .wakeUp { try await sound.send(.sound(.stopTone)) }
            let burst = AcousticModulator(profile: profile, sampleRate: profile.playbackRate)
                .samples(for: Self.question(profile))
            for _ in 0..<Self.questions where !listening.isAnswered {
                try await sound.send(.sound(.play(burst, rate: profile.playbackRate)))
                try await hear(sound, &listening, .answer, Self.answerTime, rate)
            }
            return .success(listening.lines + notes)
        } catch {
            return .failure(error)
        }
    }

    private func hear(
        _ sound: SoundTransport, _ listening: inout ProbeListening, _ phase: ProbeListening.Phase,
        _ seconds: Double, _ rate: Int
    ) async throws(DeviceError) {
        var frames = 0
        while frames < Int(seconds * Double(rate)) {
            let block = try await sound.receive()
            guard !EndingSignal.isWanted else { throw .closed }
            frames += block.samples.count
            listening.take(block, phase)
        }
    }

    /// A card without a volume, or with one that stays low, is noted and tried all the same.
    private func raise(_ sound: SoundTransport) async throws(DeviceError) -> [String] {
        do throws(DeviceError) {
            try await sound.send(.sound(.raiseVolume))
            return []
        } catch {
            switch error {
            case .volumeTooLow: return ["the volume could not be raised to its maximum"]
            case .mixerMissing: return ["the card has no volume that could be raised"]
            case .gone, .permissionDenied, .busy, .timedOut, .refused, .suspended, .closed, .unsupported,
                .playbackMissing, .system:
                throw error
            }
        }
    }

    private func configuration(_ profile: AcousticProfile) -> SoundConfiguration {
        let pcm = card.contains(",") || definition != nil ? card : card + ",DEV=0"
        let control = String(card.prefix { $0 != "," })
        return SoundConfiguration(
            capture: CaptureConfiguration(
                pcm: pcm, definition: definition, rates: [profile.captureRate, 48_000, 44_100]),
            playback: PlaybackConfiguration(
                pcm: pcm, definition: definition, rates: [profile.playbackRate, 48_000, 44_100]),
            volume: raisesVolume
                ? VolumeConfiguration(control: control, definition: definition, records: records) : nil)
    }

    private static func question(_ profile: AcousticProfile) -> [UInt8] {
        switch profile.reader {
        case .unimag: UniMagCommand.version.bytes
        case .ips, .ipsEnterprise: IPSMessage.wakeUp
        }
    }

    private static func words(_ error: DeviceError, _ card: String) -> String {
        switch error {
        case .gone: "\(card) is not there; `arecord -l` lists the sound cards"
        case .permissionDenied(let detail): "permission denied: \(detail)"
        case .busy(let detail):
            "\(detail) is in use; set the daemon's audio reader to none, or stop it, and try again"
        case .timedOut: "\(card) is stuck: neither sound nor an error comes from it"
        case .suspended: "\(card) was suspended meanwhile; try again"
        case .refused, .closed: "\(card) was closed"
        case .unsupported(let detail), .playbackMissing(let detail), .mixerMissing(let detail): detail
        case .volumeTooLow: "the volume of \(card) cannot be raised"
        case .system(let code, let operation): "\(operation) on \(card) failed: \(OutputFailure(code: code))"
        }
    }
}
