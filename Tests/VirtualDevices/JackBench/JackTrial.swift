import AudioReaders
import DeviceIO
import Glibc
package import ReaderKit
package import ReaderTesting

/// Power-up, command and swipe through real libasound, again and again, with a simulated reader at the other end of a
/// virtual sound card.
package struct JackTrial {
    package struct Failure: Error {
        package let operation: String
    }

    private let profile: AcousticProfile
    private let rate: Int
    private let speed: Double

    /// - Parameter speed: how many seconds pass on the card's clock in one of ours.
    package init(profile: AcousticProfile, rate: Int, speed: Double) {
        self.profile = profile
        self.rate = rate
        self.speed = speed
    }

    /// So many swipes, each over another channel (20 dB, clock off by one percent, wandering offset), each after a request
    /// of its own where the reader wants one.
    /// - Returns: what arrived, and how many questions had to be asked again.
    package func run(_ count: Int, seed: UInt64 = 1) async throws -> (
        outcome: ModemTrial.Outcome, repeated: Int
    ) {
        let folder = try Folder()
        let jack = SimulatedJack(
            ReaderSimulator(kind, rate: rate, seed: seed), source: folder.source, sink: folder.sink)
        defer { jack.stop() }
        let sound = try await SoundTransport.open(configuration(folder))
        var outcome = ModemTrial.Outcome()
        var repeated = 0
        do {
            var host = JackHost(sound, profile: profile, speed: speed)
            try await begin(&host)
            var generator = SeededGenerator(state: seed)
            for index in 0..<count {
                jack.change { $0 = channel(index, &generator) }
                try await swipe(&host, jack, &generator, &outcome)
            }
            repeated = host.repeated
        } catch {
            await sound.close()
            throw error
        }
        await sound.close()
        return (outcome, repeated)
    }

    private var kind: ReaderSimulator.Kind {
        profile.reader == .unimag ? .uniMag(profile) : .battery(profile)
    }

    private func configuration(_ folder: Folder) -> SoundConfiguration {
        let card = VirtualSoundCard(source: folder.source, sink: folder.sink, speed: speed)
        let definition = card.definition(of: "trial")
        // At a multiple of the speed a busy machine keeps a thread from running for long on the card's clock: what a card
        // of real speed would have in time, this one has in frames. What is played ahead delays nothing here: the
        // simulated reader hears it when it is written.
        let period = Duration.milliseconds(Int(40 * max(1, speed)))
        return SoundConfiguration(
            capture: CaptureConfiguration(
                pcm: "trial", definition: definition, rates: [rate], period: period, buffer: .seconds(30)),
            playback: PlaybackConfiguration(
                pcm: "trial", definition: definition, rates: [rate], period: period / 2,
                buffer: min(period * 10, .seconds(15))))
    }

    private func channel(_ index: Int, _ generator: inout SeededGenerator) -> AcousticChannel {
        var channel = AcousticChannel(seed: generator.next())
        channel.clockError = index % 2 == 0 ? 0.01 : -0.01
        channel.offset = Double.random(in: -1...1, using: &generator)
        channel.offsetDecay = Double.random(in: 0.005...0.02, using: &generator)
        return channel
    }

    private func begin(_ host: inout JackHost) async throws {
        switch profile.reader {
        case .unimag:
            try await host.powerUp()
            let version = try await host.ask(UniMagCommand.version.bytes).map(UniMagMessage.init)
            guard case .answer = version else { throw Failure(operation: "handshake: \(version as Any)") }
        case .ips, .ipsEnterprise:
            let answer = try await host.ask(IPSMessage.wakeUp).map(IPSMessage.init)
            guard case .awake = answer else { throw Failure(operation: "wake-up: \(answer as Any)") }
        }
    }

    private func swipe(
        _ host: inout JackHost, _ jack: SimulatedJack, _ generator: inout SeededGenerator,
        _ outcome: inout ModemTrial.Outcome
    ) async throws {
        let packet: [UInt8]
        switch profile.reader {
        case .unimag:
            packet = SimulatedPackets.uniMag(&generator)
            let agreed = try await host.ask(UniMagCommand.requestSwipe.bytes).map(UniMagMessage.init)
            guard agreed == .agreed else { throw Failure(operation: "request: \(agreed as Any)") }
        case .ips, .ipsEnterprise: packet = SimulatedPackets.ips(&generator)
        }
        guard jack.swipe(packet) else { throw Failure(operation: "the reader takes no swipe") }
        outcome.sent += 1
        guard let message = try await host.message(), isSwipe(message) else { return }
        if message.bytes.starts(with: packet) { outcome.right += 1 } else { outcome.wrong += 1 }
    }

    private func isSwipe(_ message: BurstCollector.Message) -> Bool {
        switch profile.reader {
        case .unimag: if case .swipe = UniMagMessage(message) { true } else { false }
        case .ips, .ipsEnterprise: if case .swipe = IPSMessage(message) { true } else { false }
        }
    }
}

/// A folder with the two FIFOs of a virtual card.
private final class Folder {
    let path: String
    var source: String { path + "/source" }
    var sink: String { path + "/sink" }

    init() throws {
        var template = Array("/tmp/swiped-jack-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw JackTrial.Failure(operation: "mkdtemp") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard mkfifo(source, 0o600) == 0, mkfifo(sink, 0o600) == 0 else {
            throw JackTrial.Failure(operation: "mkfifo")
        }
    }

    deinit {
        unlink(source)
        unlink(sink)
        rmdir(path)
    }
}
