import Glibc
import LoadMeasures
import ReaderTesting
import UnixIO

/// What a device could say, into a virtual reader's source.
struct DeviceFuzzing {
    private let path: String
    private let seed: UInt64
    private let isSound: Bool
    private var random: SeededGenerator
    private let reports: [[UInt8]]

    init(_ path: String, seed: UInt64, isSound: Bool, report: String?) {
        self.path = path
        self.seed = seed
        self.isSound = isSound
        random = SeededGenerator(state: seed)
        reports = [
            DeviceFuzzing.bytes(of: report), [UInt8](repeating: 0, count: 856), [0xFF], [0x02, 0x00, 0x01],
        ]
    }

    mutating func run(_ steps: Int) -> Bool {
        // A reader that is given up in the middle, and opened again, is what sessions cause.
        signal(SIGPIPE, SIG_IGN)
        guard var descriptor = opened() else { return false }
        defer { close(descriptor) }
        let start = Clock.now()
        for step in 0..<steps {
            while Whole.write(isSound ? sound() : line(), to: descriptor, waiting: Self.patienceMilliseconds)
                != 0
            {
                guard errno == EPIPE else {
                    print("step \(step), seed \(seed): the reader takes no more")
                    return false
                }
                close(descriptor)
                guard let again = opened() else { return false }
                descriptor = again
            }
        }
        print("\(steps) device steps, \(Double(Clock.now() - start) / 1e9) s, seed \(seed)")
        return true
    }

    /// The pipe, once the daemon has its other end, for which it has ten seconds.
    private func opened() -> Int32? {
        for _ in 0..<1_000 {
            let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            usleep(10_000)
        }
        print("nobody listens at \(path)")
        return nil
    }

    /// A report in hex, changed, cut, doubled or made up; or no hex at all.
    private mutating func line() -> [UInt8] {
        var report = random.pick(reports)
        switch random.below(8) {
        case 0: report = random.bytes(random.below(900))
        case 1: report = Array(report.prefix(random.below(report.count)))
        case 2: return random.bytes(random.below(300)) + [10]
        case 3: report += report
        case 4: break
        default:
            for _ in 0...random.below(8) where !report.isEmpty {
                report[random.below(report.count)] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        return DeviceFuzzing.hex(report) + [10]
    }

    /// A tenth of a second of something: silence, noise, full scale, a square wave of some pitch.
    private mutating func sound() -> [UInt8] {
        let kind = random.below(5)
        let period = 2 + random.below(60)
        return (0..<480).flatMap { index -> [UInt8] in
            let sample: UInt16 =
                switch kind {
                case 0: 0
                case 1: UInt16(truncatingIfNeeded: random.next())
                case 2: 0x7FFF
                case 3: index / period % 2 == 0 ? 0x6000 : 0xA000
                default: UInt16(truncatingIfNeeded: random.next() & 0x3F)
                }
            return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
    }

    /// A reader that accepts nothing for ten seconds is stuck.
    private static let patienceMilliseconds: Int32 = 10_000

    private static func hex(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    private static func bytes(of path: String?) -> [UInt8] {
        guard let path, let file = fopen(path, "r") else { return [UInt8](repeating: 0x25, count: 337) }
        defer { fclose(file) }
        var digits: [UInt8] = []
        var line = [CChar](repeating: 0, count: 8_192)
        while fgets(&line, 8_192, file) != nil {
            let text = line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:))
            if text.first != UInt8(ascii: "#") {
                digits += text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }.map(UInt8.init)
            }
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
