import DeviceIO
import Glibc
import ReaderKit

/// A virtual sound card with capture, playback and a volume, and what is heard of it on the other side.
final class DuplexCard: Sendable {
    static let name = "duplex"

    let source: SoundSource
    let sink: String
    let volume: String
    let gain: String
    /// Which input is heard.
    let choice: String
    /// Where raised volumes are written down.
    let records: String
    /// For reading what is played; open for writing too, so that a silent card is no end of file.
    private let ear: Int32

    init() throws {
        source = try SoundSource()
        sink = source.folder + "/sink"
        volume = source.folder + "/volume"
        gain = source.folder + "/gain"
        choice = source.folder + "/choice"
        records = source.folder + "/records"
        guard mkfifo(sink, 0o600) == 0, mkdir(records, 0o700) == 0 else {
            throw SoundSource.Failure(operation: "mkfifo", code: errno)
        }
        ear = open(sink, O_RDWR | O_CLOEXEC)
        guard ear >= 0 else { throw SoundSource.Failure(operation: "open", code: errno) }
        _ = fcntl(ear, 1031, 1 << 20)
        setVolume(" 40  40 1 1\n")
    }

    deinit {
        close(ear)
        for name in recordNames { unlink(records + "/" + name) }
        rmdir(records)
        unlink(volume)
        unlink(gain)
        unlink(choice)
        unlink(sink)
    }

    func card(speed: Double = 1, options: [String: String] = [:], plays: Bool = true) -> VirtualSoundCard {
        VirtualSoundCard(
            source: source.path, sink: plays ? sink : nil, speed: speed, options: options)
    }

    func configuration(
        speed: Double = 1, options: [String: String] = [:], rate: Int = 48_000, plays: Bool = true,
        loudest: Int = 100
    ) -> SoundConfiguration {
        let card = card(speed: speed, options: options, plays: plays)
        let definition = card.definition(of: Self.name)
        // The more of the card's time fits into one of ours, the more must be played ahead.
        let buffer = Duration.milliseconds(Int(200 * max(1, speed)))
        return SoundConfiguration(
            capture: CaptureConfiguration(
                pcm: Self.name, definition: definition, rates: [rate], buffer: .seconds(10)),
            playback: PlaybackConfiguration(
                pcm: Self.name, definition: definition, rates: [rate], buffer: buffer),
            volume: VolumeConfiguration(
                control: Self.name,
                definition: card.mixerDefinition(of: Self.name, volume: volume, loudest: loudest),
                records: records))
    }

    /// Its gain, which stands in a file of its own from then on.
    func gainConfiguration(
        _ text: String, choice chosen: String? = nil, loudest: Int = 100
    ) -> VolumeConfiguration {
        write(text, to: gain)
        if let chosen { write(chosen, to: choice) }
        let card = VirtualSoundCard(source: source.path)
        return VolumeConfiguration(
            control: Self.name,
            definition: card.gainDefinition(
                of: Self.name, gain: gain, choice: chosen == nil ? nil : choice, loudest: loudest),
            records: records, side: .capture)
    }

    func setVolume(_ text: String) { write(text, to: volume) }

    private func write(_ text: String, to path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        _ = Glibc.write(file, text, text.utf8.count)
        close(file)
    }

    var volumeText: String { text(volume) }
    var recordNames: [String] {
        guard let directory = opendir(records) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The next frames that are played, left and right in turn; waits for them.
    func played(_ frames: Int) async -> [Int16] {
        await withCheckedContinuation { continuation in
            startThread { [self] in
                var samples: [Int16] = []
                var odd: [UInt8] = []
                while samples.count < frames * 2 {
                    let wanted = (frames * 2 - samples.count) * 2 - odd.count
                    let bytes = [UInt8](unsafeUninitializedCapacity: min(wanted, 65_536)) { buffer, count in
                        count = max(0, read(ear, buffer.baseAddress, buffer.count))
                    }
                    guard !bytes.isEmpty else { break }
                    let all = odd + bytes
                    for index in stride(from: 0, to: all.count - 1, by: 2) {
                        samples.append(Int16(bitPattern: UInt16(all[index]) | UInt16(all[index + 1]) << 8))
                    }
                    odd = all.count % 2 == 1 ? [all[all.count - 1]] : []
                }
                continuation.resume(returning: samples)
            }
        }
    }

    /// Throws away what was played and not read.
    func forget() {
        var pending: Int32 = 0
        while ioctl(ear, UInt(FIONREAD), &pending) == 0, pending > 0 {
            _ = [UInt8](unsafeUninitializedCapacity: Int(pending)) { buffer, count in
                count = max(0, read(ear, buffer.baseAddress, buffer.count))
            }
        }
    }

    /// How many bytes were played and not read.
    var unread: Int {
        var pending: Int32 = 0
        return ioctl(ear, UInt(FIONREAD), &pending) == 0 ? Int(pending) : 0
    }
}
