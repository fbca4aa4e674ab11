import DeviceIO
import ReaderKit
import Testing

@Suite("A capture through libasound, on the virtual card", .timeLimit(.minutes(1)), .serialized)
struct CaptureTests {
    private static let readerName = "test"

    private func open(
        _ source: SoundSource, speed: Double = 5, options: [String: String] = [:],
        _ change: (inout CaptureConfiguration) -> Void = { _ in }
    ) async throws -> CaptureTransport {
        let card = VirtualSoundCard(source: source.path, speed: speed, options: options)
        var configuration = CaptureConfiguration(
            pcm: Self.readerName, definition: card.definition(of: Self.readerName),
            // At 5 times the speed two seconds of real time, for a machine that is busy with other tests.
            buffer: .seconds(10))
        change(&configuration)
        return try await CaptureTransport.open(configuration)
    }

    /// Reads until `count` samples of the sound are there; what was silent before it does not count.
    private func hear(_ count: Int, on capture: CaptureTransport) async throws -> [Int16] {
        var heard: [Int16] = []
        while heard.count < count {
            let block = try await capture.receive()
            heard += heard.isEmpty ? block.samples.drop { $0 == 0 } : block.samples[...]
        }
        return Array(heard.prefix(count))
    }

    @Test("delivers every sample, at each rate", arguments: [44_100, 48_000, 96_000])
    func exactSamples(rate: Int) async throws {
        let source = try SoundSource()
        let capture = try await open(source, options: ["rate": "\(rate)"])
        #expect(capture.format?.sampleRate == rate)
        let sound = ramp(rate)
        source.write(sound)
        #expect(try await hear(sound.count, on: capture) == sound)
        await capture.close()
    }

    @Test(
        "prefers the first rate that the card has",
        arguments: [([48_000, 44_100], 48_000), ([44_100], 44_100)])
    func rates(wanted: [Int], got: Int) async throws {
        let source = try SoundSource()
        let capture = try await open(source) { $0.rates = wanted }
        #expect(capture.format?.sampleRate == got)
        #expect(try await capture.receive().sampleRate == got)
        await capture.close()
    }

    @Test("converts every format", arguments: SampleFormat.allCases)
    func formats(format: SampleFormat) async throws {
        let source = try SoundSource()
        let capture = try await open(source, options: ["format": format.rawValue, "channels": "2"])
        #expect(capture.format?.format == format)
        #expect(capture.format?.channels == 2)
        let sound = ramp(10_000).map { $0 % 2 == 0 ? $0 : -$0 }
        source.write(sound)
        #expect(try await hear(sound.count, on: capture) == sound)
        await capture.close()
    }

    @Test("hears each head on a channel of its own", arguments: [2, 3], ["S16_LE", "S24_3LE"])
    func heads(count: Int, format: String) async throws {
        let source = try SoundSource()
        let options = ["heads": "\(count)", "channels": "4", "format": format]
        let capture = try await open(source, options: options) { $0.heads = count }
        #expect(capture.format?.channels == 4)
        let sound = ramp(9_000)
        source.write(sound.flatMap { sample in (1...count).map { Int16($0) &* sample } })
        var heard = Array(repeating: [Int16](), count: count)
        while heard[0].count(where: { $0 != 0 }) < sound.count {
            let block = try await capture.receive()
            #expect(block.otherHeads.map(\.count) == Array(repeating: block.samples.count, count: count - 1))
            for (head, samples) in ([block.samples] + block.otherHeads).enumerated() {
                heard[head] += samples
            }
        }
        for head in 0..<count {
            let first = heard[0].firstIndex { $0 != 0 } ?? 0
            let expected = sound.map { Int16(head + 1) &* $0 }
            #expect(Array(heard[head][first...].prefix(sound.count)) == expected)
        }
        await capture.close()
    }

    @Test("counts its frames without a gap")
    func positions() async throws {
        let source = try SoundSource()
        let capture = try await open(source)
        var expected: UInt64 = 0
        for _ in 0..<50 {
            let block = try await capture.receive()
            #expect(block.firstFrame == expected)
            expected += UInt64(block.samples.count)
        }
        await capture.close()
    }

    @Test("counts an overrun, jumps, and goes on exactly")
    func overrun() async throws {
        let source = try SoundSource()
        let capture = try await open(source, options: ["overrun_at": "9600"])
        let buffer = UInt64(try #require(capture.format).bufferFrames)
        var block = try await capture.receive()
        while block.overruns == 0 {
            let end = block.firstFrame + UInt64(block.samples.count)
            block = try await capture.receive()
            if block.overruns == 0 {
                #expect(block.firstFrame == end)
            } else {
                #expect(block.firstFrame >= end + buffer)
            }
        }
        #expect(block.overruns == 1)
        let sound = ramp(20_000)
        source.write(sound)
        #expect(try await hear(sound.count, on: capture) == sound)
        await capture.close()
    }

    @Test("plays a WAV file, whatever chunks stand in it")
    func wav() async throws {
        let source = try SoundSource()
        let capture = try await open(source)
        let sound = ramp(30_000)
        source.write(wavFile(sound))
        #expect(try await hear(sound.count, on: capture) == sound)
        source.write(wavFile(sound))
        #expect(try await hear(sound.count, on: capture) == sound)
        await capture.close()
    }

    @Test("ends with `gone` when the card is pulled out in mid-capture; plugged in again, it works")
    func unplugAndReplug() async throws {
        let source = try SoundSource()
        for _ in 0..<5 {
            let capture = try await open(source)
            source.write(ramp(2_000))
            _ = try await hear(1_000, on: capture)
            source.unplug()
            await #expect(throws: DeviceError.gone) { while true { _ = try await capture.receive() } }
            await capture.close()
            await #expect(throws: DeviceError.gone) { _ = try await open(source) }
            try source.plug()
        }
    }

    @Test("ends with `suspended` when the card slept; opened again, it works")
    func sleep() async throws {
        let source = try SoundSource()
        for _ in 0..<3 {
            let capture = try await open(source)
            source.write(ramp(2_000))
            _ = try await hear(1_000, on: capture)
            source.sleep()
            await #expect(throws: DeviceError.suspended) { while true { _ = try await capture.receive() } }
            await capture.close()
        }
    }

    @Test("refuses in words what a card cannot do")
    func refusals() async throws {
        let source = try SoundSource()
        await #expect(
            throws: DeviceError.unsupported(detail: "test does not offer 3 channels, one for each head")
        ) {
            _ = try await open(source) { $0.heads = 3 }
        }
        await #expect(throws: DeviceError.gone) {
            _ = try await CaptureTransport.open(CaptureConfiguration(pcm: "hw:CARD=nobody,DEV=0"))
        }
        await #expect(
            throws: DeviceError.unsupported(detail: "the sound card's definition is not ALSA configuration")
        ) {
            _ = try await CaptureTransport.open(CaptureConfiguration(pcm: "x", definition: "pcm.x { type"))
        }
    }

    @Test("ends at once when closed, also for whoever waits")
    func close() async throws {
        let source = try SoundSource()
        let capture = try await open(source, speed: 0.01)
        async let waiting: Void = {
            await #expect(throws: DeviceError.closed) { while true { _ = try await capture.receive() } }
        }()
        await capture.close()
        await capture.close()
        await waiting
        await #expect(throws: DeviceError.refused) { try await capture.send(.getFeature()) }
    }

    private func wavFile(_ samples: [Int16]) -> [UInt8] {
        func le(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let data = samples.flatMap { [le(Int($0), 2), le(-1, 2)].flatMap(\.self) }
        let format =
            Array("fmt ".utf8) + le(16, 4) + le(1, 2) + le(2, 2) + le(48_000, 4) + le(192_000, 4) + le(4, 2)
            + le(16, 2)
        let odd = Array("LIST".utf8) + le(3, 4) + [1, 2, 3, 0]
        let chunks = Array("WAVE".utf8) + format + odd + Array("data".utf8) + le(data.count, 4) + data
        return Array("RIFF".utf8) + le(chunks.count, 4) + chunks
    }
}
