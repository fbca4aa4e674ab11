import CardData
import Foundation
import Testing

/// Where the bytes of cards lie, as the kernel tells of it in /proc/self/smaps (proc(5), VmFlags).
@Suite struct SensitiveMemoryTests {
    /// More than one arena holds: what clients who do not read can make wait.
    @Test func whatIsMoreThanOneArenaHoldsIsLockedAndNotDumpedEither() throws {
        let texts = (0..<1_200).map { _ in SensitiveText(count: 1_000) { $0.initialize(repeating: 0x3D) } }
        let guarded = try Mapping.ofThisProcess().filter { $0.flags.isSuperset(of: ["lo", "dd"]) }
        let outside = texts.filter { text in
            let address = text.withRevealedBytes { UInt(bitPattern: $0.baseAddress) }
            return !guarded.contains { $0.range.contains(address) }
        }
        #expect(texts.allSatisfy { $0.count == 1_000 })
        #expect(outside.count == 0)
    }

    /// A part of this process's memory, and what the kernel does with it.
    private struct Mapping {
        var range: Range<UInt>
        var flags: Set<String> = []

        static func ofThisProcess() throws -> [Mapping] {
            var found: [Mapping] = []
            // To its end: String(contentsOfFile:) takes the first page of a file whose size is not known beforehand.
            let maps = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd() ?? Data()
            for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
                if let ends = line.prefixMatch(of: /([0-9a-f]+)-([0-9a-f]+)/),
                    let start = UInt(ends.1, radix: 16), let end = UInt(ends.2, radix: 16)
                {
                    found.append(Mapping(range: start..<end))
                } else if line.hasPrefix("VmFlags:"), !found.isEmpty {
                    found[found.count - 1].flags = Set(
                        line.split(separator: " ").dropFirst().map(String.init))
                }
            }
            return found
        }
    }
}
