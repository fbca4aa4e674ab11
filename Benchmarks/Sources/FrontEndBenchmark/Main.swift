import AudioReaders
import CAllocationCount
import CFrontEnd
import Glibc
import ReaderKit
import StripeSignal
import WaveformSynthesis

/// What listening costs while nobody swipes: time a second of sound, the same in C, and allocations a block.
///
///     FrontEndBenchmark [SECONDS]
///
/// Ends with status 1 where a figure is over what is asked for.
@main
struct FrontEndBenchmark {
    private static let rate = 48_000
    /// A period as ALSA delivers it: 10 ms.
    private static let block = 480
    /// The C loop and ours take turns this often; the fastest turn of each counts.
    private static let turns = 400
    private static let mostMilliseconds = 0.1
    private static let mostRatio = 1.2

    static func main() {
        let seconds = max(CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 5, 2)
        let sound = quiet(seconds: seconds)
        var swift = Double.infinity
        var c = Double.infinity
        for _ in 0..<turns {
            swift = min(swift, decoder(sound) / Double(seconds))
            c = min(c, reference(sound) / Double(seconds))
        }
        let driver = self.driver(sound)
        print(
            "front end, ms of processor time a second of 48 kHz sound: \(round4(swift)); asked: \(mostMilliseconds)"
        )
        print(
            "the same in C (clang -O3), same run: \(round4(c)); ratio \(round4(swift / c)), asked: \(mostRatio)"
        )
        print(
            "allocations in \(driver.blocks) blocks: decoder \(allocations(sound)), driver \(driver.allocations)"
        )
        let isFine =
            swift <= mostMilliseconds && swift / c <= mostRatio && allocations(sound) == 0
            && driver.allocations == 0
        exit(isFine ? 0 : 1)
    }

    /// A sound input with nothing on it: noise of a few steps, an offset, a little hum.
    private static func quiet(seconds: Int) -> [Int16] {
        var random = SeededRandom(seed: 1)
        return (0..<seconds * rate).map { index in
            let hum = 6 * sin(2 * Double.pi * 50 * Double(index) / Double(rate))
            return Int16(120 + hum + 5 * random.gaussian())
        }
    }

    private static func decoder(_ sound: [Int16]) -> Double {
        var decoder = StripeDecoder(sampleRate: rate)
        var events = 0
        let time = processorTime {
            for start in stride(from: 0, to: sound.count, by: block) {
                events +=
                    decoder.process(sound.span.extracting(start..<min(start + block, sound.count))).count
            }
        }
        if events > 0 { print("the gate opened: this is no idle sound") }
        return time
    }

    private static func reference(_ sound: [Int16]) -> Double {
        guard let state = front_end_create(Int32(rate)) else { return .infinity }
        defer { front_end_destroy(state) }
        return processorTime {
            sound.withUnsafeBufferPointer { samples in
                for start in stride(from: 0, to: samples.count, by: block) {
                    _ = front_end_process(
                        state, samples.baseAddress.map { $0 + start }, min(block, samples.count - start))
                }
            }
        }
    }

    /// After the first second, in which the floor is learnt.
    private static func allocations(_ sound: [Int16]) -> UInt64 {
        var decoder = StripeDecoder(sampleRate: rate)
        _ = decoder.process(sound.span.extracting(first: rate))
        let before = allocation_count()
        for start in stride(from: rate, to: sound.count, by: block) {
            _ = decoder.process(sound.span.extracting(start..<min(start + block, sound.count)))
        }
        return allocation_count() - before
    }

    /// The whole audio driver, as the daemon calls it. The blocks are made before: the capture's own are not counted.
    private static func driver(_ sound: [Int16]) -> (allocations: UInt64, blocks: Int) {
        let blocks = stride(from: 0, to: sound.count, by: block).map { start in
            SampleBlock(
                samples: Array(sound[start..<min(start + block, sound.count)]), sampleRate: rate,
                firstFrame: UInt64(start))
        }
        var driver = PassiveHeadDriver(DeviceIdentity(readerID: "idle", bus: .audio, node: "idle"))
        let learning = rate / block
        for block in blocks[..<learning] { _ = driver.receive(block) }
        let before = allocation_count()
        for block in blocks[learning...] { _ = driver.receive(block) }
        return (allocation_count() - before, blocks.count - learning)
    }

    private static func processorTime(_ body: () -> Void) -> Double {
        let start = now
        body()
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
    }

    private static func round4(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}
