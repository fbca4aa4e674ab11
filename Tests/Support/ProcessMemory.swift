import Foundation

/// What another process has in its memory.
package enum ProcessMemory {
    /// Whether the text is anywhere in the memory that the process can write. Only root may look into programs that forbid it.
    package static func contains(_ text: String, of id: Int32) throws -> Bool {
        let needle = Data(text.utf8)
        let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(id)/mem"))
        // To its end: String(contentsOfFile:) takes the first page of a file whose size is not known beforehand.
        let maps = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(id)/maps")).readToEnd() ?? Data()
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n")
        where !line.hasSuffix("[vvar]") && !line.hasSuffix("[vsyscall]") {
            let words = line.split(separator: " ", maxSplits: 2)
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
            try memory.seek(toOffset: ends[0])
            guard let bytes = try? memory.read(upToCount: Int(ends[1] - ends[0])) else { continue }
            if bytes.range(of: needle) != nil { return true }
        }
        return false
    }
}
