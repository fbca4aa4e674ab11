import AudioReaders
import DeviceIO
import Glibc
import JackBench
import ReaderKit
import ReaderTesting
import Testing

@Suite("A reader's sound, again and again", .timeLimit(.minutes(5)), .serialized)
struct SoundCycleTests {
    /// 500 where they are asked for: they take minutes.
    private static let cycles = getenv("SWIPED_SOUND_CYCLES").flatMap { Int(String(cString: $0)) } ?? 60
    private static let speed = 2.0

    /// What one life of a reader's sound ends with.
    private enum End: Int, CaseIterable { case swipe, timeout, unplug, close }

    @Test("power-ups that end in a swipe, a timeout, an unplug or a close leave nothing behind")
    func cycles() async throws {
        let card = try DuplexCard()
        var descriptors = 0
        for cycle in 0..<Self.cycles {
            let end = End(rawValue: cycle % End.allCases.count) ?? .close
            try await live(card, until: end, UInt64(cycle))
            #expect(card.volumeText == " 40  40 1 1\n")
            #expect(card.recordNames.isEmpty)
            card.forget()
            #expect(card.unread == 0)
            if cycle == Self.cycles / 4 { descriptors = openDescriptors() }
        }
        #expect(openDescriptors() <= descriptors)
        #expect(await threadsAreGone())
    }

    private func live(_ card: DuplexCard, until end: End, _ seed: UInt64) async throws {
        let profile = AcousticProfile.uniMagProfiles[0]
        let jack = SimulatedJack(
            ReaderSimulator(.uniMag(profile), rate: 48_000, seed: seed), source: card.source.path,
            sink: card.sink)
        let sound = try await SoundTransport.open(card.configuration(speed: Self.speed))
        try await sound.send(.sound(.raiseVolume))
        #expect(card.volumeText == "100 100 1 1\n")
        try await sound.send(.sound(.startTone(profile.tone)))
        switch end {
        case .swipe:
            var host = JackHost(sound, profile: profile, speed: Self.speed)
            try await host.powerUp()
            let version = try await host.ask(UniMagCommand.version.bytes).map(UniMagMessage.init)
            if case .answer = version {} else { Issue.record("\(String(describing: version))") }
            let agreed = try await host.ask(UniMagCommand.requestSwipe.bytes).map(UniMagMessage.init)
            #expect(agreed == .agreed)
            var generator = SeededGenerator(state: seed)
            let packet = SimulatedPackets.uniMag(&generator)
            #expect(jack.swipe(packet))
            let swipe = try await host.message()
            #expect(swipe?.bytes.prefix(packet.count) == packet[...])
        case .timeout:
            var frames = 0
            while frames < 24_000 { frames += try await sound.receive().samples.count }
        case .unplug:
            card.source.unplug()
            await #expect(throws: DeviceError.gone) { while true { _ = try await sound.receive() } }
        case .close: break
        }
        await sound.close()
        jack.stop()
        if end == .unplug { try card.source.plug() }
    }

    @Test("what `kill -9` leaves is silence, and a record from which the next start puts the volume back")
    func killed() async throws {
        let card = try DuplexCard()
        let child = try spawn([
            HIDBench.product("device-probe"), "hold-sound", card.source.path, card.sink, card.volume,
            card.records,
        ])
        let heard = await card.played(9_600)
        #expect(heard.contains { $0 > 30_000 })
        #expect(card.volumeText == "100 100 1 1\n")
        #expect(card.recordNames == ["volume-duplex.state"])
        kill(child, SIGKILL)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        card.forget()
        #expect(card.unread == 0)
        #expect(card.volumeText == "100 100 1 1\n")
        let sound = try await SoundTransport.open(card.configuration())
        #expect(card.volumeText == " 40  40 1 1\n")
        #expect(card.recordNames.isEmpty)
        await sound.close()
    }

    private func spawn(_ command: [String]) throws -> pid_t {
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, command[0], nil, nil, &arguments, environ)
        guard failure == 0 else { throw SoundSource.Failure(operation: "posix_spawn", code: failure) }
        return child
    }

    private func openDescriptors() -> Int { entries("/proc/self/fd").count }

    /// A closed transport's threads have run to their end, but may not have left the kernel yet.
    private func threadsAreGone() async -> Bool {
        for _ in 0..<10_000 {
            let names = entries("/proc/self/task").map { text("/proc/self/task/\($0)/comm") }
            if !names.contains(where: { $0.hasPrefix("swiped-playback") }) { return true }
            await Task.yield()
        }
        return false
    }

    private func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func entries(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
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
}
