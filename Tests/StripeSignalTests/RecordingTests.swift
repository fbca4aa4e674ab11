import CardData
import Foundation
import StripeSignal
import Testing

/// Real hand swipes of transit cards over a passive head, bit for bit. The recordings stay outside the repository.
@Suite struct RecordingTests {
    struct Record: Sendable {
        var file: String
        var swipes: [Int]
        var bits: [String]
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../shared/recordings"
    )
    .standardizedFileURL
    static let isThere = FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path())

    /// The rows of the recordings' own table: `| file, swipes | Hz | record 1 | record 2 |`.
    static let records: [Record] = {
        guard let text = try? String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8) else {
            return []
        }
        return text.split(separator: "\n").filter { $0.hasPrefix("| metrocard") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let name = cells[0].split(separator: ",")[0].replacing(".wav", with: "")
            let numbers = cells[0].dropFirst(name.count).split { !$0.isNumber }.compactMap { Int($0) }
            return Record(
                file: name + ".wav", swipes: name.contains("mix") ? numbers.map { $0 - 1 } : [0],
                bits: Array(cells[2...3]))
        }
    }()

    @Test(.enabled(if: isThere, "the recordings are not beside this checkout"))
    func allRowsAreThere() {
        #expect(Self.records.count >= 5)
        #expect(Self.records.contains { $0.swipes == [5, 6, 7] })
    }

    private static func sound(of record: Record) throws -> (samples: [Int16], rate: Int) {
        let data = try Data(contentsOf: Self.folder.appending(path: record.file))
        // RIFF, WAVE, fmt with 16 bit mono, data: the plain 44 bytes, as all six files have them.
        let rate = Int(data[24]) | Int(data[25]) << 8 | Int(data[26]) << 16
        let samples = stride(from: 44, to: data.count - 1, by: 2).map {
            Int16(truncatingIfNeeded: Int(data[$0]) | Int(data[$0 + 1]) << 8)
        }
        return (samples, rate)
    }

    /// Hum over a swipe and the silence round it, whose own reversals must not speak for the reading that has the hum in it.
    struct Hum: Sendable {
        var file: String
        /// The swipe, with half a second round it where the recording has it.
        var samples: Range<Int>
        var decibels: Double
        var frequency: Double
        /// In eighths of a period.
        var phase: Double
        /// Root mean square of the swipe, against which the hum's is told.
        var level: Double

        func sample(_ sample: Int16, at index: Int, rate: Int) -> Int16 {
            let height = level * 2.0.squareRoot() * pow(10, decibels / 20)
            let angle = 2 * Double.pi * (frequency * Double(index) / Double(rate) + phase / 8)
            return Int16(max(-32768, min(32767, (Double(sample) + height * sin(angle)).rounded())))
        }
    }

    static let hums =
        [(-20.0, 60.0, 4.0), (-12, 50, 1)].map {
            Hum(
                file: "metrocard-mix", samples: 160_910..<232_958, decibels: $0, frequency: $1, phase: $2,
                level: 1516)
        }
        + [(-16, 60, 0), (-6, 50, 2)].map {
            Hum(file: "metrocard_", samples: 0..<62_288, decibels: $0, frequency: $1, phase: $2, level: 1763)
        }

    @Test(.enabled(if: isThere, "the recordings are not beside this checkout"), arguments: hums)
    func readsEveryBitUnderHum(_ hum: Hum) throws {
        let record = try #require(Self.records.first { $0.file.hasPrefix(hum.file) })
        let (samples, rate) = try Self.sound(of: record)
        let noisy = samples[hum.samples.clamped(to: samples.indices)].enumerated().map {
            hum.sample($1, at: $0, rate: rate)
        }
        let runs = RoundTrip.swipes(noisy, sampleRate: rate).flatMap(\.bitRuns).map {
            BitString.text($0.bits)
        }
        for bits in record.bits {
            #expect(runs.contains { $0.contains(bits) || String($0.reversed()).contains(bits) })
        }
    }

    @Test(.enabled(if: isThere, "the recordings are not beside this checkout"), arguments: records)
    func readsEveryBit(_ record: Record) throws {
        let (samples, rate) = try Self.sound(of: record)
        let swipes = RoundTrip.swipes(samples, sampleRate: rate).filter {
            !$0.bitRuns.isEmpty
        }
        for index in record.swipes {
            try #require(index < swipes.count)
            let runs = swipes[index].bitRuns.map { BitString.text($0.bits) }
            for bits in record.bits {
                #expect(
                    runs.contains { $0.contains(bits) || String($0.reversed()).contains(bits) },
                    "swipe \(index) of \(record.file)")
            }
        }
    }
}
